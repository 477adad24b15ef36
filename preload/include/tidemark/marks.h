/* Names the phases of a load, for tidemark to show: "read file", "deserialize", "upload" ...
 *
 * Header only, C99 and C++11 on, nothing to link. The first call looks for tidemark in the process,
 * by dlsym; where it is not there, each later one calls an empty function. Calls are thread-safe,
 * but not for signal handlers; phases nest within a thread and end on the thread that began them.
 * A name is copied; up to 255 bytes are kept.
 *
 *   C     tidemark_phase_begin("deserialize"); ... tidemark_phase_end("deserialize");
 *   C++   { tidemark::Phase phase("deserialize"); ... }
 */
#ifndef TIDEMARK_MARKS_H
#define TIDEMARK_MARKS_H

#include <dlfcn.h>
#include <stddef.h>

/* In C++ the functions are called from inline members of a class, so each must be one entity in the
 * whole program. */
#ifdef __cplusplus
#define TIDEMARK_MARKS_INLINE inline
extern "C" {
#else
#define TIDEMARK_MARKS_INLINE static inline
#endif

typedef void (*tidemark_mark_function)(const char* name);

/* A mark for a process without tidemark. */
TIDEMARK_MARKS_INLINE void tidemark_no_mark(const char* name) {
  (void)name;
}

/* Finds a mark function of the preloaded object: tidemark is either there from the start or never.
 * dlsym and not a weak symbol, because a linker may settle a weak reference to 0 at build time. */
TIDEMARK_MARKS_INLINE tidemark_mark_function tidemark_find_mark(const char* symbol) {
  /* Data and function pointers have one size on every system that has dlsym. */
  union {
    void* data;
    tidemark_mark_function function;
  } found;
  found.data = dlsym(NULL /* RTLD_DEFAULT */, symbol);
  return found.data != NULL ? found.function : tidemark_no_mark;
}

/* Begins a phase within the one that this thread is in, if any. */
TIDEMARK_MARKS_INLINE void tidemark_phase_begin(const char* name) {
  static tidemark_mark_function function = NULL;
  tidemark_mark_function mark = __atomic_load_n(&function, __ATOMIC_RELAXED);
  if (mark == NULL) {
    mark = tidemark_find_mark("tidemark_mark_phase_begin");
    __atomic_store_n(&function, mark, __ATOMIC_RELAXED);
  }
  mark(name);
}

/* Ends the innermost phase of that name that this thread has begun; does nothing if there is none.
 * A phase that is never ended lasts as long as the program. */
TIDEMARK_MARKS_INLINE void tidemark_phase_end(const char* name) {
  static tidemark_mark_function function = NULL;
  tidemark_mark_function mark = __atomic_load_n(&function, __ATOMIC_RELAXED);
  if (mark == NULL) {
    mark = tidemark_find_mark("tidemark_mark_phase_end");
    __atomic_store_n(&function, mark, __ATOMIC_RELAXED);
  }
  mark(name);
}

#ifdef __cplusplus
} /* extern "C" */

namespace tidemark {

/* The phase lasts as long as the object. `name` must stay valid until then. */
class Phase {
 public:
  explicit Phase(const char* name) : name_(name) { tidemark_phase_begin(name_); }
  ~Phase() { tidemark_phase_end(name_); }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  const char* name_;
};

} /* namespace tidemark */
#endif

#undef TIDEMARK_MARKS_INLINE

#endif /* TIDEMARK_MARKS_H */
