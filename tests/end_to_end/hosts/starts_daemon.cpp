// starts_daemon PROGRAM ARGS...: runs it as a grandchild that nobody waits for, in a session of its
// own, and ends at once.
#include <fcntl.h>
#include <unistd.h>

int main(int, char** words) {
  if (fork() != 0)
    _exit(0);
  setsid();
  if (fork() != 0)
    _exit(0);
  const int nothing = open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    dup2(nothing, descriptor);
  execv(words[1], words + 1);
  _exit(127);
}
