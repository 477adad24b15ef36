// changes_user PROGRAM ARGS...: gives up root for good and becomes that program, without the
// descriptor that would lead it into the session.
#include <cstdio>

#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int, char** words) {
  constexpr uid_t kNobody = 65534;
  if (setgroups(0, nullptr) != 0 || setresgid(kNobody, kNobody, kNobody) != 0 ||
      setresuid(kNobody, kNobody, kNobody) != 0) {
    std::perror("changes_user");
    return 125;
  }
  syscall(SYS_close_range, 3, ~0U, 0);
  execv(words[1], words + 1);
  return 127;
}
