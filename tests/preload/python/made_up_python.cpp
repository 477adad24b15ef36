// What an interpreter's library shows of itself, of several versions and builds. Nothing of it
// runs.

extern "C" {

#ifndef TIDEMARK_FINALIZING
#define TIDEMARK_FINALIZING 784  // of 3.14: preload/python/layouts.inc
#endif

/// _Py_DebugOffsets, as far as it is looked at.
struct {
  char cookie[8];
  unsigned long version, free_threaded, size, finalizing;
  unsigned long rest[512];
} _PyRuntime = {{'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y'},
                TIDEMARK_VERSION << 16UL,
                0,
                sizeof _PyRuntime,
                TIDEMARK_FINALIZING,
                {}};
extern const unsigned long Py_Version;
const unsigned long Py_Version = TIDEMARK_VERSION << 16UL;

void made_up_dealloc(void*) {}
/// A type object: its name, and what frees its objects.
struct {
  unsigned long head[3];
  const char* name;
  unsigned long sizes[2];
  void (*dealloc)(void*);
} PyCode_Type = {{}, "code", {}, made_up_dealloc};

#ifdef TIDEMARK_OTHER_STATES
void* PyGILState_GetThisThreadState() {  // not a thread-local variable's value
  return &PyCode_Type;
}
#endif
#ifdef TIDEMARK_FREE_THREADED
void _Py_MergeZeroLocalRefcount() {}
#endif
}
