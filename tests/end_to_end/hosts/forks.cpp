// Parent and child both allocate: 100 blocks of 5001 before the fork, 2,000 of 5002 in the child,
// 3,000 of 5003 in the parent. The child gives back what it inherited.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {
std::vector<void*> allocate(std::size_t count, std::size_t size) {
  std::vector<void*> blocks(count);
  for (void*& block : blocks)
    block = std::malloc(size);
  return blocks;
}
}  // namespace

int main() {
  const std::vector<void*> before = allocate(100, 5001);
  const pid_t child = fork();
  if (child == 0) {
    allocate(2000, 5002);
    for (void* block : before)
      std::free(block);
    _exit(5);
  }
  allocate(3000, 5003);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: %d\n", WEXITSTATUS(status));
}
