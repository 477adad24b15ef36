// enters_namespace KIND [PROGRAM ARGS...]: what KIND says, and then a program in it.
//   user      this process in a user namespace becomes PROGRAM
//   mount     this process, with nothing in /proc, becomes PROGRAM
//   pid       a child that is number 1 becomes PROGRAM
//   pid_proc  the same, with a /proc that shows its namespace
//   user_pid  a child that is number 1, in a user namespace too, allocates and becomes PROGRAM
//   pid_fork  a child that is number 1 allocates 500 blocks of 4571 bytes, touches 64 MiB, keeps
//             them for 0.3 s, and forks one that allocates 500 of 4573
//   clone     a child that is number 1 in namespaces of its own, with a /proc and a /dev of its
//             own, becomes PROGRAM: made by clone
//   number    the same, by its number as bwrap does it
//   number3   the same, by that of clone3
// Exit status 125: not permitted here.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
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

constexpr int kOwnNamespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS;

int become_confined(void* words) {
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("proc", "/proc", "proc", 0, nullptr) != 0 ||
      mount("none", "/dev", "tmpfs", 0, nullptr) != 0)
    give_up();
  char** const command = static_cast<char**>(words);
  execv(command[0], command);
  return 127;
}

/// @return a child in namespaces of its own, which becomes `command`.
pid_t start_confined(const std::string& kind, char** command) {
  static char stack[1 << 18];
  if (kind == "clone")
    return clone(become_confined, stack + sizeof stack, kOwnNamespaces | SIGCHLD, command);
  clone_args arguments{};
  arguments.flags = kOwnNamespaces;
  arguments.exit_signal = SIGCHLD;
  const long child = kind == "number" ? syscall(SYS_clone, kOwnNamespaces | SIGCHLD, nullptr,
                                                nullptr, nullptr, nullptr)
                                      : syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0)
    _exit(become_confined(command));
  return static_cast<pid_t>(child);
}

int status_of(pid_t child) {
  int status = 125 << 8;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

/// Without the descriptor that would lead it into the session.
int become(char** command) {
  syscall(SYS_close_range, 3, ~0U, 0);
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
  if (kind == "clone" || kind.starts_with("number"))
    return status_of(start_confined(kind, command));
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
  return status_of(child);
}
