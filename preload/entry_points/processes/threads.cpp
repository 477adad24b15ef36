// What a thread says of itself: its name.

#include "preload/entry_points/export.hpp"
#include "preload/session/thread.hpp"

#include <pthread.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;

TIDEMARK_EXPORT int pthread_setname_np(pthread_t thread, const char* name) {
  real::need();
  const int error = real::pthread_setname_np(thread, name);
  if (error == 0)
    preload::record_thread_name(reinterpret_cast<const void*>(thread), name);
  return error;
}
