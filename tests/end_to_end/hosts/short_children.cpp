// short_children COUNT PROGRAM: so many children, 20 at a time. Each allocates 4583 bytes; every
// fourth one becomes PROGRAM, the others end at once.
#include <cstdio>
#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

int main(int, char** words) {
  const int count = std::atoi(words[1]);
  int alive = 0;
  for (int i = 0; i < count; ++i, ++alive) {
    if (alive == 20 && wait(nullptr) > 0)
      --alive;
    if (fork() != 0)
      continue;
    *static_cast<volatile char*>(std::malloc(4583)) = 1;
    char* command[] = {words[2], nullptr};
    if (i % 4 == 0)
      execv(command[0], command);
    _exit(0);
  }
  while (wait(nullptr) > 0) {
  }
  std::puts("all ended");
}
