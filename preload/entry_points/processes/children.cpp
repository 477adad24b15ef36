// A forked child comes into the session at once, and its end is told before whatever its parent
// does next: else a child that this parent starts then would seem to be there with it.

#include "preload/hooks/children.hpp"

#include "preload/entry_points/export.hpp"
#include "preload/hooks/real.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

namespace {

/// Every wait but waitid is this one.
pid_t wait_for(pid_t child, int* status, int options, rusage* usage) {
  real::need();
  rusage own{};
  rusage* const used = usage != nullptr ? usage : &own;
  const pid_t ended = real::wait4(child, status, options, used);
  if (ended > 0)
    preload::record_wait(ended, used);
  return ended;
}

}  // namespace

TIDEMARK_EXPORT pid_t fork() {
  real::need();
  const pid_t child = real::fork();
  if (child == 0)
    preload::record_fork();
  return child;
}

TIDEMARK_EXPORT pid_t wait(int* status) {
  return wait_for(-1, status, 0, nullptr);
}

TIDEMARK_EXPORT pid_t waitpid(pid_t child, int* status, int options) {
  return wait_for(child, status, options, nullptr);
}

TIDEMARK_EXPORT pid_t wait3(int* status, int options, rusage* usage) {
  return wait_for(-1, status, options, usage);
}

TIDEMARK_EXPORT pid_t wait4(pid_t child, int* status, int options, rusage* usage) {
  return wait_for(child, status, options, usage);
}

TIDEMARK_EXPORT int waitid(idtype_t of, id_t id, siginfo_t* info, int options) {
  real::need();
  const int result = real::waitid(of, id, info, options);
  if (result == 0 && info != nullptr && info->si_pid != 0)
    preload::record_wait(info->si_pid, nullptr);
  return result;
}
