// Many small blocks and a few large ones, the same in every run: 40,000 of 1,003 bytes from `many`,
// of which every tenth stays; 2,000 of 20,011 from `some`, which all stay; 40 that grow by realloc
// from 2,003 to 30,011 bytes in `grown`; 4 of 700,001 from `large`. What it does first:
//     small_blocks              nothing
//     small_blocks threads      starts 4 threads that do all of it, too
//     small_blocks forks        forks 4 children that do all of it, too, one after the other
//     small_blocks then_killed  all of it, and ends by SIGKILL
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

[[gnu::noinline]] void* many() {
  void* volatile block = std::malloc(1003);
  return block;
}

[[gnu::noinline]] void* some() {
  void* volatile block = std::malloc(20011);
  return block;
}

[[gnu::noinline]] void* grown(void* old_block, std::size_t size) {
  void* volatile block = std::realloc(old_block, size);
  return block;
}

[[gnu::noinline]] void* large() {
  void* volatile block = std::malloc(700001);
  return block;
}

void allocate_all() {
  for (int i = 0; i < 40000; ++i) {
    void* block = many();
    if (i % 10 != 0)
      std::free(block);
    if (i % 20 == 0)
      some();
    if (i % 1000 == 0)
      grown(grown(nullptr, 2003), 30011);
    if (i % 10000 == 0)
      large();
  }
}

void fork_children() {
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      allocate_all();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  std::vector<std::thread> threads;
  if (first == "threads") {
    for (int i = 0; i < 4; ++i)
      threads.emplace_back(allocate_all);
  }
  if (first == "forks")
    fork_children();
  for (std::thread& thread : threads)
    thread.join();
  allocate_all();
  if (first == "then_killed")
    raise(SIGKILL);
}
