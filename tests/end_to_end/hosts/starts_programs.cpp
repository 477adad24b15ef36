// starts_programs HOW PROGRAM ARGS...: runs a program in every way that libc knows, and says its
// status.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int, char** argv) {
  void* volatile own = std::malloc(6543);
  *static_cast<char*>(own) = 1;
  const std::string how = argv[1];
  char** command = argv + 2;
  static char* empty[] = {nullptr};
  int status = -1;
  pid_t child = -1;
  if (how == "fork") {
    if ((child = fork()) == 0) {
      execv(command[0], command);
      _exit(127);
    }
  }
  if (how == "vfork") {
    if ((child = vfork()) == 0) {
      execv(command[0], command);
      _exit(127);
    }
  }
  if (how == "spawn")
    posix_spawn(&child, command[0], nullptr, nullptr, command, environ);
  if (how == "spawnp")
    posix_spawnp(&child, command[0], nullptr, nullptr, command, environ);
  if (how == "spawn_cleared")
    posix_spawn(&child, command[0], nullptr, nullptr, command, empty);
  if (how == "exec_cleared") {
    if ((child = fork()) == 0) {
      execve(command[0], command, empty);
      _exit(127);
    }
  }
  if (how == "fexecve") {
    if ((child = fork()) == 0) {
      std::FILE* program = std::fopen(command[0], "re");
      fexecve(fileno(program), command, environ);
      _exit(127);
    }
  }
  std::string line;
  for (char** word = command; *word != nullptr; ++word)
    line += std::string(*word) + " ";
  if (how == "system")
    status = std::system(line.c_str());
  if (how == "popen") {
    std::FILE* stream = popen(line.c_str(), "r");
    for (int letter = 0; (letter = std::fgetc(stream)) != EOF;)
      std::putchar(letter);
    status = pclose(stream);
  }
  if (child > 0)
    waitpid(child, &status, 0);
  std::printf("status %d\n", WEXITSTATUS(status));
}
