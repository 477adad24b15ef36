// One block through every door there is to the heap. Sizes name the door.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <malloc.h>

namespace {
void* g_block = nullptr;  // where the compiler cannot see that nothing happens to it

void give_back(void* block) {
  g_block = block;
  std::free(g_block);
}
}  // namespace

int main() {
  give_back(std::malloc(10001));
  give_back(std::calloc(3, 3334));  // 10002
  give_back(std::realloc(nullptr, 10003));
  give_back(reallocarray(nullptr, 4, 2501));  // 10004
  void* out = nullptr;
  if (posix_memalign(&out, 256, 10005) == 0)
    give_back(out);
  give_back(aligned_alloc(64, 10006));
  give_back(memalign(128, 10007));
  give_back(valloc(10008));
  give_back(pvalloc(10009));
  static char text_of_10009[10010];
  std::memset(text_of_10009, 'a', 10009);
  give_back(strdup(text_of_10009));  // 10010
  static char longer_text[20000];
  std::memset(longer_text, 'a', sizeof longer_text - 1);
  give_back(strndup(longer_text, 10010));  // 10011
  char* text = nullptr;
  if (asprintf(&text, "%10012d", 1) > 0)
    give_back(std::realloc(text, 10012));
  using namespace std;
  ::operator delete(::operator new(20001));
  ::operator delete[](::operator new[](20002));
  ::operator delete(::operator new(20003, nothrow), nothrow);
  ::operator delete[](::operator new[](20004, nothrow), nothrow);
  ::operator delete (::operator new (20005, align_val_t{256}), align_val_t{256});
  ::operator delete[](::operator new[](20006, align_val_t{256}), align_val_t{256});
  ::operator delete (::operator new (20007, align_val_t{256}, nothrow), align_val_t{256}, nothrow);
  ::operator delete[](::operator new[](20008, align_val_t{256}, nothrow), align_val_t{256},
                      nothrow);
  ::operator delete (::operator new(20009), std::size_t{20009});
  ::operator delete[](::operator new[](20010), std::size_t{20010});
  ::operator delete (::operator new (20011, align_val_t{64}), std::size_t{20011}, align_val_t{64});
  ::operator delete[](::operator new[](20012, align_val_t{64}), std::size_t{20012},
                      align_val_t{64});
  std::puts("done");
}
