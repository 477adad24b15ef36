// Whose is a block of 3141 bytes? With small_allocator in front of libc's functions: that one's.
// Copies a text by the allocator's own strdup (3142 bytes), and one by libc's strndup (3143).
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" bool small_allocator_has(const void* block);

int main() {
  void* volatile block = std::malloc(3141);
  std::printf("%s\n", small_allocator_has(block) ? "the library's" : "somebody else's");
  std::free(block);
  static char text[4000];
  std::memset(text, 'a', 3141);
  block = strdup(text);
  std::free(block);
  std::memset(text, 'a', sizeof text - 1);
  block = strndup(text, 3142);
  std::free(block);
}
