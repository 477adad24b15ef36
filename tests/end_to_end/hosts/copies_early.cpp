// Prints what its library's constructor has copied.
#include <cstdio>

extern "C" int g_early_sum;

int main() {
  std::printf("%d\n", g_early_sum);
}
