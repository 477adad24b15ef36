// enters_namespace KIND [PROGRAM ARGS...]: what KIND says, and then a program in it.
//   user      this process in a user namespace becomes PROGRAM
//   mount     this process, with nothing in /proc, becomes PROGRAM
//   pid       a child that is number 1 becomes PROGRAM
//   pid_proc  the same, with a /proc that shows its namespace
//   user_pid  a child that is number 1, in a user namespace too, allocates and becomes PROGRAM
//   pid_fork  a child that is number 1 allocates 500 blocks of 4571 bytes, touches 64 MiB, keeps
//             them for 0.3 s, and forks one that allocates 500 of 4573
// Exit status 125: not permitted here.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

[[noreturn]] void give_up() {
  std::perror("enters_namespace");
  _exit(125);
}

void enter(int flags) {
  if (unshare(flags) != 0 || ((flags & CLONE_NEWNS) != 0 &&
                              mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0))
    give_up();
}

/// Without the descriptor that would lead it into the session.
int become(char** command) {
  close_range(3, ~0U, 0);
  execv(command[0], command);
  return 127;
}

void allocate(std::size_t size) {
  for (int i = 0; i < 500; ++i)
    *static_cast<volatile char*>(std::malloc(size)) = 1;
}

int live_as_number_one() {
  allocate(4571);
  constexpr std::size_t kTouched = 64 << 20;
  std::memset(std::malloc(kTouched), 1, kTouched);
  poll(nullptr, 0, 300);
  if (fork() == 0) {
    allocate(4573);
    _exit(0);
  }
  wait(nullptr);
  return getpid() == 1 ? 4 : 5;
}

}  // namespace

int main(int, char** words) {
  const std::string kind = words[1];
  char** command = words + 2;
  if (kind == "user") {
    enter(CLONE_NEWUSER);
    return become(command);
  }
  if (kind == "mount") {
    enter(CLONE_NEWNS);
    if (mount("none", "/proc", "tmpfs", 0, nullptr) != 0)
      give_up();
    return become(command);
  }
  enter(CLONE_NEWPID | (kind == "pid_proc" ? CLONE_NEWNS : 0) |
        (kind == "user_pid" ? CLONE_NEWUSER : 0));
  const pid_t child = fork();
  if (child == 0) {
    if (kind == "pid_proc" && mount("proc", "/proc", "proc", 0, nullptr) != 0)
      give_up();
    if (kind == "user_pid")
      allocate(4577);
    _exit(kind == "pid_fork" ? live_as_number_one() : become(command));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
