// dlclose, marks, and the object's own start. dlopen is in dlopen.S.

#include "preload/entry_points/export.hpp"
#include "preload/hooks/exec.hpp"
#include "preload/hooks/modules.hpp"
#include "preload/hooks/queued_reads.hpp"
#include "preload/os/symbol_search.hpp"
#include "preload/session/record.hpp"
#include "preload/session/thread.hpp"

#include <errno.h>
#include <string.h>

namespace preload = tidemark::preload;
namespace real = tidemark::real;
namespace wire = tidemark::wire;

// Read by dlopen.S, which jumps through them.
extern "C" {
__attribute__((visibility("hidden"))) void* tidemark_real_dlopen = nullptr;
__attribute__((visibility("hidden"))) void* tidemark_real_dlmopen = nullptr;
__attribute__((visibility("hidden"))) void tidemark_before_dlopen(const char* name, int flags);
__attribute__((visibility("hidden"))) void tidemark_before_dlmopen(long space,
                                                                   const char* name,
                                                                   int flags);
}

void tidemark_before_dlopen(const char* name, int flags) {
  real::need();
  preload::record_load(name, flags);
}

void tidemark_before_dlmopen(long, const char* name, int flags) {
  tidemark_before_dlopen(name, flags);
}

TIDEMARK_EXPORT int dlclose(void* handle) {
  real::need();
  const int result = real::dlclose(handle);
  preload::record_unload();
  return result;
}

namespace {

constexpr std::size_t kMaxMarkBytes = 255;

template <typename Kind>
void record_mark(const char* name) {
  if (name == nullptr)
    return;
  if (preload::ThreadState* thread = preload::current_thread())
    preload::write_text(*thread, Kind{}, {name, strnlen(name, kMaxMarkBytes)});
}

/// Runs before the program's own constructors, once libc is up. Recording began earlier, at the
/// first hook.
__attribute__((constructor)) void start() {
  const int errno_before = errno;
  real::need();
  preload::remember_session_variables();
  // libunwind allocates below hooks. Not if malloc is the program's own, as a hook may run under
  // its lock.
  if (preload::current_thread() != nullptr && !preload::is_function_hidden("malloc"))
    preload::load_libunwind();
  errno = errno_before;
}

/// At exit, after the program's own functions for it.
__attribute__((destructor)) void end() {
  preload::note_rings_at_end();
}

}  // namespace

TIDEMARK_EXPORT void tidemark_mark_phase_begin(const char* name) {
  record_mark<wire::PhaseBegin>(name);
}
TIDEMARK_EXPORT void tidemark_mark_phase_end(const char* name) {
  record_mark<wire::PhaseEnd>(name);
}
