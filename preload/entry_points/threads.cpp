// What a thread says of itself: its name.

#include "preload/entry_points/export.hpp"
#include "preload/thread.hpp"

#include <pthread.h>
#include <stdarg.h>
#include <sys/prctl.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

TIDEMARK_EXPORT int pthread_setname_np(pthread_t thread, const char* name) {
  real::need();
  const int error = real::pthread_setname_np(thread, name);
  if (error == 0)
    preload::record_thread_name(reinterpret_cast<const void*>(thread), name);
  return error;
}

TIDEMARK_EXPORT int prctl(int option, ...) {
  real::need();
  unsigned long argument[4];
  va_list rest;
  va_start(rest, option);
  for (unsigned long& value : argument)
    value = va_arg(rest, unsigned long);
  va_end(rest);
  const int result = real::prctl(option, argument[0], argument[1], argument[2], argument[3]);
  if (option == PR_SET_NAME && result == 0)
    preload::record_thread_name(__builtin_thread_pointer(),
                                reinterpret_cast<const char*>(argument[0]));
  return result;
}
