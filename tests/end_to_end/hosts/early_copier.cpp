// A library whose constructor runs before every other one's: it copies before anything is set up.
#include <cstring>

namespace {
char g_from[200'000];
char g_to[200'000];
}  // namespace

extern "C" int g_early_sum;
int g_early_sum = -1;

__attribute__((constructor)) static void copy_early() {
  std::memset(g_from, 3, sizeof g_from);
  std::memcpy(g_to, g_from, sizeof g_to);
  std::memmove(g_to + 1, g_to, 1'000);
  g_early_sum = 0;
  for (const char byte : g_to)
    g_early_sum += byte;
}
