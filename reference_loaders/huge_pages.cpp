#include "reference_loaders/huge_pages.hpp"

#include <cstdint>

#include <sys/mman.h>

namespace tidemark::loaders {

void advise_huge_pages(void* block, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (bytes < 2 * kHugePage) {
    return;
  }
  // Whole pages inside the block only: the rest of the first and last page may be someone else's.
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t first = (begin + kPage - 1) & ~(kPage - 1);
  const std::uintptr_t last = (begin + bytes) & ~(kPage - 1);
  madvise(static_cast<std::byte*>(block) + (first - begin), last - first, MADV_HUGEPAGE);
}

}  // namespace tidemark::loaders
