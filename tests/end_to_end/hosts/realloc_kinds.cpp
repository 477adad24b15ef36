// realloc in all its moods. A failing one leaves the old block, realloc(p, 0) frees it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <malloc.h>

int main() {
  // Volatile, so that the compiler keeps every call and knows no size.
  void* volatile block = std::realloc(nullptr, 6001);
  block = std::realloc(block, 6000);  // shrinks in place
  void* volatile wall = std::malloc(7001);
  block = std::realloc(block, 60003);  // moves
  volatile std::size_t too_much = PTRDIFF_MAX - 60004;
  void* volatile failed = std::realloc(block, too_much);
  std::printf("failed: %s, still usable: %d\n", failed == nullptr ? "yes" : "no",
              malloc_usable_size(block) >= 60003);
  volatile std::size_t nothing = 0;
  block = std::realloc(block, nothing);
  std::printf("of size 0: %s\n", block == nullptr ? "null" : "block");
  std::free(wall);
  void* volatile empty = std::malloc(nothing);
  std::printf("malloc(0): %s\n", empty == nullptr ? "null" : "block");
  empty = std::realloc(empty, 6006);
  std::free(empty);
  std::free(nullptr);
}
