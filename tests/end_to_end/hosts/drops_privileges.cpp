// drops_privileges PROGRAM ARGUMENTS...: becomes nobody, then that program.
#include <unistd.h>

int main(int, char** argv) {
  constexpr unsigned kNobody = 65534;
  if (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0)
    return 77;
  execv(argv[1], argv + 1);
  return 99;
}
