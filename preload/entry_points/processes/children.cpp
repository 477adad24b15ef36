// A forked child attaches to the session at once, and its end is recorded before its parent does
// anything else: otherwise the parent's next child would seem to overlap with it.

#include "preload/hooks/children.hpp"

#include "preload/entry_points/export.hpp"
#include "preload/entry_points/processes_by_number.hpp"
#include "preload/hooks/exec.hpp"
#include "preload/hooks/real.hpp"

#include <pty.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

namespace {

/// All waits except waitid come through here. A child that has merely stopped is not recorded.
pid_t wait_for(pid_t child, int* status, int options, rusage* usage) {
  real::need();
  int own_status = 0;
  rusage own_usage{};
  int* const said = status != nullptr ? status : &own_status;
  rusage* const used = usage != nullptr ? usage : &own_usage;
  const pid_t waited = real::wait4(child, said, options, used);
  if (waited > 0 && (WIFEXITED(*said) || WIFSIGNALED(*said)))
    preload::record_end(waited, used);
  return waited;
}

bool says_end(const siginfo_t& info) {
  return info.si_pid != 0 &&
         (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED);
}

template <typename Fork>
auto fork_by(Fork real_fork) {
  preload::before_fork();
  const auto child = real_fork();
  if (child == 0)
    preload::record_fork();
  return child;
}

/// What a child of clone runs. Lies in the parent's frame, which is copied to the child.
struct Cloned {
  int (*run)(void*);
  void* argument;
};

int run_cloned(void* cloned) {
  const Cloned begun = *static_cast<const Cloned*>(cloned);
  preload::record_fork();
  return begun.run(begun.argument);
}

/// A child that shares its parent's memory is not a process of its own here, and one with a new
/// thread pointer may lack our thread-locals: that one attaches at its first record.
int clone_by(int (*run)(void*), void* stack, int flags, void* argument, va_list rest) {
  real::need();
  if (preload::is_confining(static_cast<unsigned>(flags)))
    preload::keep_way_in();
  auto* const parent_id = va_arg(rest, pid_t*);
  void* const thread_pointer = va_arg(rest, void*);
  auto* const child_id = va_arg(rest, pid_t*);
  if ((flags & (CLONE_VM | CLONE_SETTLS)) != 0 || run == nullptr)
    return real::clone(run, stack, flags, argument, parent_id, thread_pointer, child_id);
  preload::before_fork();
  Cloned cloned{run, argument};
  return real::clone(run_cloned, stack, flags, &cloned, parent_id, thread_pointer, child_id);
}

}  // namespace

TIDEMARK_EXPORT pid_t fork() {
  real::need();
  return fork_by(real::fork);
}
TIDEMARK_EXPORT pid_t __fork() {
  real::need();
  return fork_by(real::fork);
}
TIDEMARK_EXPORT pid_t _Fork() {
  real::need();
  return fork_by(real::_Fork);
}

/// Forks inside libc, where we have no hook.
TIDEMARK_EXPORT pid_t forkpty(int* terminal,
                              char* name,
                              const termios* settings,
                              const winsize* size) {
  real::need();
  return fork_by([&] { return real::forkpty(terminal, name, settings, size); });
}

/// Forks inside libc, too. Only the child returns; if the call reports a failure, it may be the
/// parent that returns.
TIDEMARK_EXPORT int daemon(int keeps_directory, int keeps_streams) {
  real::need();
  preload::before_fork();
  const std::uint32_t parent = preload::process_id();
  const int result = real::daemon(keeps_directory, keeps_streams);
  if (preload::process_id() != parent)
    preload::record_fork();
  return result;
}

TIDEMARK_EXPORT int clone(int (*run)(void*), void* stack, int flags, void* argument, ...) {
  va_list rest;
  va_start(rest, argument);
  const int child = clone_by(run, stack, flags, argument, rest);
  va_end(rest);
  return child;
}
TIDEMARK_EXPORT int __clone(int (*run)(void*), void* stack, int flags, void* argument, ...) {
  va_list rest;
  va_start(rest, argument);
  const int child = clone_by(run, stack, flags, argument, rest);
  va_end(rest);
  return child;
}

long preload::fork_by_number(long number, const long (&arguments)[6]) {
  return fork_by([&] {
    return real::syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                         arguments[4], arguments[5]);
  });
}

bool preload::before_clone_by_number(long number, long first, long second) {
  const auto clone = number == SYS_clone3
                         ? preload::read_clone_arguments(first, static_cast<unsigned long>(second))
                         : preload::CloneArguments{static_cast<unsigned long>(first),
                                                   static_cast<unsigned long>(second)};
  if (preload::is_confining(clone.flags))
    preload::keep_way_in();
  return (clone.flags & CLONE_VM) == 0 && clone.stack == 0;
}

TIDEMARK_EXPORT pid_t wait(int* status) {
  return wait_for(-1, status, 0, nullptr);
}
TIDEMARK_ALIAS(__wait, wait)
TIDEMARK_EXPORT pid_t waitpid(pid_t child, int* status, int options) {
  return wait_for(child, status, options, nullptr);
}
TIDEMARK_ALIAS(__waitpid, waitpid)
TIDEMARK_EXPORT pid_t wait3(int* status, int options, rusage* usage) {
  return wait_for(-1, status, options, usage);
}
TIDEMARK_EXPORT pid_t wait4(pid_t child, int* status, int options, rusage* usage) {
  return wait_for(child, status, options, usage);
}

TIDEMARK_EXPORT int waitid(idtype_t of, id_t id, siginfo_t* info, int options) {
  real::need();
  siginfo_t own{};
  siginfo_t* const said = info != nullptr ? info : &own;
  rusage usage{};
  const unsigned long before = preload::faults_of_children();
  const int result = real::waitid(of, id, said, options);
  if (result == 0 && says_end(*said)) {
    // Includes children that other threads wait for meanwhile.
    usage.ru_minflt = static_cast<long>(preload::faults_of_children() - before);
    preload::record_end(said->si_pid, &usage);
  }
  return result;
}

// In these libc waits by itself, without saying for which child.
TIDEMARK_EXPORT int system(const char* command) {
  real::need();
  const int result = real::system(command);
  if (command != nullptr)
    preload::record_end(0, nullptr);
  return result;
}
TIDEMARK_EXPORT int pclose(FILE* stream) {
  real::need();
  const int result = real::pclose(stream);
  preload::record_end(0, nullptr);
  return result;
}
