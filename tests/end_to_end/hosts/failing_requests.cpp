// Requests that nobody can grant, each with the errno that its caller sees.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <malloc.h>
#include <sys/mman.h>

namespace {
constexpr std::size_t kHuge = PTRDIFF_MAX - 100000;
volatile std::size_t g_half =
    SIZE_MAX / 2;  // read at run time, so that the compiler does not object

void say(const char* what, const void* block, int result = 0) {
  std::printf("%s: %s, %d, errno %d\n", what, block == nullptr ? "null" : "block", result, errno);
  errno = 0;
}
}  // namespace

int main() {
  errno = 0;
  void* volatile kept = std::malloc(5001);
  say("malloc", std::malloc(kHuge + 1));
  say("calloc", std::calloc(1, kHuge + 2));
  say("calloc overflow", std::calloc(g_half, 3));
  say("realloc", std::realloc(kept, kHuge + 3));
  say("reallocarray", reallocarray(kept, 1, kHuge + 4));
  say("reallocarray overflow", reallocarray(kept, g_half, 3));
  void* out = nullptr;
  const int no_memory = posix_memalign(&out, 64, kHuge + 5);
  say("posix_memalign", out, no_memory);
  const int bad_alignment = posix_memalign(&out, 3, 100);
  say("posix_memalign of alignment 3", out, bad_alignment);
  say("aligned_alloc", aligned_alloc(64, kHuge + 6));
  say("memalign", memalign(64, kHuge + 7));
  say("new nothrow", ::operator new(kHuge + 8, std::nothrow));
  try {
    ::operator delete(::operator new(kHuge + 9));
  } catch (const std::bad_alloc&) {
    say("new threw", nullptr);
  }
  void* mapped = mmap(nullptr, kHuge / 4096 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say("mmap", mapped == MAP_FAILED ? nullptr : mapped);
  std::free(kept);
}
