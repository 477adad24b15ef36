// Calls after which /proc may no longer lead to the collector: they change the root, the user or
// namespaces. A descriptor of the session's file is kept before, for programs started later.

#include "preload/entry_points/export.hpp"
#include "preload/entry_points/processes_by_number.hpp"
#include "preload/hooks/exec.hpp"

#include <sched.h>
#include <unistd.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

#define TIDEMARK_CONFINEMENT(name, parameters, arguments) \
  TIDEMARK_EXPORT int name parameters {                   \
    real::need();                                         \
    preload::keep_way_in();                               \
    return real::name arguments;                          \
  }

TIDEMARK_CONFINEMENT(unshare, (int flags), (flags))
TIDEMARK_CONFINEMENT(setns, (int fd, int type), (fd, type))
TIDEMARK_CONFINEMENT(chroot, (const char* path), (path))
TIDEMARK_CONFINEMENT(setuid, (uid_t user), (user))
TIDEMARK_CONFINEMENT(setreuid, (uid_t user, uid_t effective), (user, effective))
TIDEMARK_CONFINEMENT(setresuid,
                     (uid_t user, uid_t effective, uid_t saved),
                     (user, effective, saved))
TIDEMARK_CONFINEMENT(setgid, (gid_t group), (group))
TIDEMARK_CONFINEMENT(setregid, (gid_t group, gid_t effective), (group, effective))
TIDEMARK_CONFINEMENT(setresgid,
                     (gid_t group, gid_t effective, gid_t saved),
                     (group, effective, saved))

long preload::confine_by_number(long number, const long (&arguments)[6]) {
  preload::keep_way_in();
  return real::syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                       arguments[5]);
}
