// Whose is a block of 3141 bytes? With small_allocator in front of libc's functions: that one's.
#include <cstdio>
#include <cstdlib>

extern "C" bool small_allocator_has(const void* block);

int main() {
  void* volatile block = std::malloc(3141);
  std::printf("%s\n", small_allocator_has(block) ? "the library's" : "somebody else's");
  std::free(block);
}
