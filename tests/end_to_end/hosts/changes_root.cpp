// changes_root FOLDER PROGRAM ARGS...: becomes that program, by its path in FOLDER, with FOLDER as
// its root directory, and without the descriptor that would lead it into the session.
#include <cstdio>

#include <sys/syscall.h>
#include <unistd.h>

int main(int, char** words) {
  if (chroot(words[1]) != 0 || chdir("/") != 0) {
    std::perror("changes_root");
    return 125;
  }
  syscall(SYS_close_range, 3, ~0U, 0);
  execv(words[2], words + 2);
  return 127;
}
