// Allocates LIBRARY_BYTES in a function of a name of its own, so that one library can come where
// another one was.
#include <cstdlib>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

void* JOIN(allocates_, LIBRARY_BYTES)() {
  void* volatile block = std::malloc(LIBRARY_BYTES);
  return block;
}

extern "C" void library_work() {
  std::free(JOIN(allocates_, LIBRARY_BYTES)());
}
