// An operator new that throws, and 1,000 objects of 3131 bytes after it, most at one address.
#include <cstddef>
#include <cstdio>
#include <new>

int main() {
  int refused = 0;
  volatile std::size_t far_too_much = std::size_t{1} << 62;
  for (int i = 0; i < 3; ++i) {
    try {
      delete[] new char[far_too_much];
    } catch (const std::bad_alloc&) {
      ++refused;
    }
  }
  for (int i = 0; i < 1000; ++i) {
    char* volatile object = new char[3131];
    object[0] = 1;
    delete[] object;
  }
  std::printf("%d refused\n", refused);
}
