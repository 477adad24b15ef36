// lives_a_while [BLOCKS]: allocates so many blocks of 4561 bytes (100), and lives for 0.3 s, which
// is long enough for anybody who looks at it from outside.
#include <cstdio>
#include <cstdlib>

#include <poll.h>

int main(int count, char** words) {
  for (int i = count > 1 ? std::atoi(words[1]) : 100; i > 0; --i)
    *static_cast<volatile char*>(std::malloc(4561)) = 1;
  std::puts("lived");
  std::fflush(stdout);
  poll(nullptr, 0, 300);
  return 3;
}
