// Allocates in an atexit handler, in a static object's destructor, and in a destructor function
// after both.
#include <cstdlib>

namespace {
void allocate(std::size_t size) {
  void* volatile block = std::malloc(size);
  std::free(block);
}

struct Late {
  ~Late() { allocate(2281); }
} g_late;

__attribute__((destructor)) void last() {
  allocate(2283);
}
}  // namespace

int main() {
  std::atexit([] { allocate(2282); });
}
