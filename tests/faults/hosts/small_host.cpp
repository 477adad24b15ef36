// small_host [COUNT]: says begin, allocates COUNT (64) times 4321 bytes, reads and maps itself, has
// a thread and a child do the same with 16 times 1234 bytes, gives all back, says end, and
// returns 7.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void say(const char* text) {
  (void)!write(STDOUT_FILENO, text, std::strlen(text));
}

void allocate(int count, std::size_t bytes) {
  for (int i = 0; i < count; ++i) {
    auto* const block = static_cast<volatile char*>(std::malloc(bytes));
    *block = 1;
    std::free(const_cast<char*>(block));
  }
}

}  // namespace

int main(int argc, char** argv) {
  say("begin\n");
  allocate(argc > 1 ? std::atoi(argv[1]) : 64, 4321);
  const int file = open(argv[0], O_RDONLY);
  char bytes[512];
  (void)!read(file, bytes, sizeof bytes);
  munmap(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 0), 4096);
  close(file);
  std::thread(allocate, 16, 1234).join();
  const pid_t child = fork();
  if (child == 0) {
    allocate(16, 1234);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  say("end\n");
  return 7;
}
