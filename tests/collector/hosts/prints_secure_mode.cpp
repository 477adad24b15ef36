// Says whether the kernel started it in secure mode: the judge of what secure_mode_reason predicts.
#include <cstdio>

#include <sys/auxv.h>

int main() {
  std::printf("%lu\n", getauxval(AT_SECURE));
  return 0;
}
