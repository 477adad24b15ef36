// A block of 300 MB that lives for one event, in the middle of 200,000 small ones.
#include <cstdlib>

int main() {
  static void* volatile small[64];
  for (int i = 0; i < 200000; ++i) {
    std::free(small[i % 64]);
    small[i % 64] = std::malloc(100);
    if (i == 100000) {
      void* volatile large = std::malloc(300000000);
      std::free(large);
    }
  }
}
