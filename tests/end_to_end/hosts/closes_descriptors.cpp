// Closes every descriptor that it does not know, as daemons do, and uses the numbers for itself.
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

int main() {
  for (int fd = 3; fd < 1024; ++fd)
    close(fd);
  for (int i = 0; i < 100; ++i) {
    void* volatile block = std::malloc(4411);
    std::free(block);
  }
  const int fd = open("/dev/null", O_RDONLY);
  std::printf("descriptor %d\n", fd);
  close_range(3, ~0U, 0);
  for (int i = 0; i < 100; ++i) {
    void* volatile block = std::malloc(4412);
    std::free(block);
  }
}
