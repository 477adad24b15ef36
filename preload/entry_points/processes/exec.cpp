// Starting other programs, which join the session even if the environment was cleared.

#include "preload/hooks/exec.hpp"

#include "preload/entry_points/export.hpp"

#include <alloca.h>
#include <stdarg.h>
#include <unistd.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

// The environment is built on the stack of the function that calls exec: alloca's memory is freed
// when its function returns, and a vfork child has no other memory of its own.
#define TIDEMARK_ENVIRONMENT(name, program, variables)        \
  const preload::Environment name##_plan(program, variables); \
  char* const* name = name##_plan.build(alloca(name##_plan.bytes() + 1));

// The arguments of an execl, from `first` on, as an array on the stack. `last` reads what follows
// the terminating null.
#define TIDEMARK_COLLECT(arguments, first, rest, last)                                     \
  va_list rest;                                                                            \
  va_start(rest, first);                                                                   \
  std::size_t arguments##_count = 1;                                                       \
  while (va_arg(rest, char*) != nullptr)                                                   \
    ++arguments##_count;                                                                   \
  va_end(rest);                                                                            \
  auto** arguments = static_cast<char**>(alloca((arguments##_count + 2) * sizeof(char*))); \
  va_start(rest, first);                                                                   \
  arguments[0] = const_cast<char*>(first);                                                 \
  for (std::size_t i = 1; i <= arguments##_count; ++i)                                     \
    arguments[i] = va_arg(rest, char*);                                                    \
  last;                                                                                    \
  va_end(rest)

namespace {

preload::ProgramName by_path(const char* path) {
  return {.path = path};
}
preload::ProgramName by_name(const char* file) {
  return {.path = file, .is_searched = true};
}
preload::ProgramName by_path_from(int directory, const char* path) {
  return {.path = path, .directory = directory};
}
preload::ProgramName by_descriptor(int fd) {
  return {.path = "", .directory = fd};
}

int failed(int result) {
  preload::record_exec_failed();
  return result;
}

int spawned(pid_t* out, pid_t child, int error) {
  preload::hold_way_in();
  if (error != 0)
    return error;
  preload::record_spawn(child);
  if (out != nullptr)
    *out = child;
  return 0;
}

}  // namespace

TIDEMARK_EXPORT int execve(const char* path, char* const* arguments, char* const* variables) {
  real::need();
  TIDEMARK_ENVIRONMENT(environment, by_path(path), variables)
  preload::record_exec();
  return failed(real::execve(path, arguments, environment));
}

TIDEMARK_EXPORT int execv(const char* path, char* const* arguments) {
  real::need();
  TIDEMARK_ENVIRONMENT(environment, by_path(path), environ)
  preload::record_exec();
  return failed(real::execve(path, arguments, environment));
}

TIDEMARK_EXPORT int execvpe(const char* file, char* const* arguments, char* const* variables) {
  real::need();
  TIDEMARK_ENVIRONMENT(environment, by_name(file), variables)
  preload::record_exec();
  return failed(real::execvpe(file, arguments, environment));
}

TIDEMARK_EXPORT int execvp(const char* file, char* const* arguments) {
  real::need();
  TIDEMARK_ENVIRONMENT(environment, by_name(file), environ)
  preload::record_exec();
  return failed(real::execvpe(file, arguments, environment));
}

TIDEMARK_EXPORT int execl(const char* path, const char* first, ...) {
  real::need();
  TIDEMARK_COLLECT(arguments, first, rest, (void)0);
  TIDEMARK_ENVIRONMENT(environment, by_path(path), environ)
  preload::record_exec();
  return failed(real::execve(path, arguments, environment));
}

TIDEMARK_EXPORT int execlp(const char* file, const char* first, ...) {
  real::need();
  TIDEMARK_COLLECT(arguments, first, rest, (void)0);
  TIDEMARK_ENVIRONMENT(environment, by_name(file), environ)
  preload::record_exec();
  return failed(real::execvpe(file, arguments, environment));
}

TIDEMARK_EXPORT int execle(const char* path, const char* first, ...) {
  real::need();
  char* const* variables = nullptr;
  TIDEMARK_COLLECT(arguments, first, rest, variables = va_arg(rest, char* const*));
  TIDEMARK_ENVIRONMENT(environment, by_path(path), variables)
  preload::record_exec();
  return failed(real::execve(path, arguments, environment));
}

TIDEMARK_EXPORT int fexecve(int fd, char* const* arguments, char* const* variables) {
  real::need();
  TIDEMARK_ENVIRONMENT(environment, by_descriptor(fd), variables)
  preload::record_exec();
  return failed(real::fexecve(fd, arguments, environment));
}

TIDEMARK_EXPORT int execveat(
    int directory, const char* path, char* const* arguments, char* const* variables, int flags) {
  real::need();
  TIDEMARK_ENVIRONMENT(environment, by_path_from(directory, path), variables)
  preload::record_exec();
  return failed(real::execveat(directory, path, arguments, environment, flags));
}

TIDEMARK_EXPORT int posix_spawn(pid_t* child,
                                const char* path,
                                const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes,
                                char* const* arguments,
                                char* const* variables) {
  real::need();
  TIDEMARK_ENVIRONMENT(environment, by_path(path), variables)
  pid_t started = 0;
  const int error = real::posix_spawn(&started, path, actions, attributes, arguments, environment);
  return spawned(child, started, error);
}

TIDEMARK_EXPORT int posix_spawnp(pid_t* child,
                                 const char* file,
                                 const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes,
                                 char* const* arguments,
                                 char* const* variables) {
  real::need();
  TIDEMARK_ENVIRONMENT(environment, by_name(file), variables)
  pid_t started = 0;
  const int error = real::posix_spawnp(&started, file, actions, attributes, arguments, environment);
  return spawned(child, started, error);
}
