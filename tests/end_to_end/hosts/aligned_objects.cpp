// Objects that ask for more alignment than malloc gives, in sizes that are no multiple of it.
#include <cstdlib>
#include <new>

int main() {
  static void* blocks[1000];
  for (std::size_t i = 0; i < 1000; ++i)
    blocks[i] = ::operator new (i + 1, std::align_val_t{256});
  for (void* block : blocks)
    ::operator delete (block, std::align_val_t{256});
}
