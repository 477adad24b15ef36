// processes_at_once N [SECONDS]: N children that are all alive at one time. Each allocates a block
// of 3301 bytes when it begins and ten of 3302 once all have begun. Then they live for SECONDS on.
#include <cstddef>
#include <cstdlib>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Pipe {
  Pipe() {
    if (pipe(ends) != 0)
      std::abort();
  }
  int ends[2]{};
};

void allocate(std::size_t bytes) {
  void* volatile block = std::malloc(bytes);
  std::free(block);
}

[[noreturn]] void run_child(const Pipe& begun, const Pipe& all_begun, unsigned seconds) {
  allocate(3301);
  char byte = 0;
  bool is_well = write(begun.ends[1], &byte, 1) == 1;
  close(all_begun.ends[1]);
  is_well = is_well && read(all_begun.ends[0], &byte, 1) == 0;  // until the parent closes it
  for (int i = 0; i < 10; ++i)
    allocate(3302);
  sleep(seconds);
  _exit(is_well ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  const int children = argc > 1 ? std::atoi(argv[1]) : 1;
  const auto seconds = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 0);
  const Pipe begun;
  const Pipe all_begun;
  for (int i = 0; i < children; ++i) {
    const pid_t child = fork();
    if (child < 0)
      return 1;
    if (child == 0)
      run_child(begun, all_begun, seconds);
  }
  char byte = 0;
  for (int i = 0; i < children; ++i) {
    if (read(begun.ends[0], &byte, 1) != 1)
      return 2;
  }
  close(all_begun.ends[1]);
  bool is_well = true;
  for (int i = 0; i < children; ++i) {
    int status = 0;
    is_well = wait(&status) > 0 && status == 0 && is_well;
  }
  return is_well ? 0 : 3;
}
