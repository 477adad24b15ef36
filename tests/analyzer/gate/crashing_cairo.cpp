// Preloaded, it takes the place of cairo's function, and does what cairo may do without memory.
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] void* cairo_create(void* /*surface*/) {
  std::abort();
}
