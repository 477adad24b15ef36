// Allocates as many bytes as each line of stdin says, and says so; ends with stdin.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

int main() {
  char line[32];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    void* volatile block = std::malloc(std::strtoull(line, nullptr, 10));
    // Not by stdio: a buffer of its own would be an allocation more.
    const char* said = block != nullptr ? "done\n" : "failed\n";
    (void)!write(STDOUT_FILENO, said, std::strlen(said));
  }
}
