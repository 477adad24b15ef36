#include "reference_loaders/strategies/weights.hpp"

#include "reference_loaders/huge_pages.hpp"
#include "reference_loaders/strategies/weights_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <new>
#include <system_error>

#include <sys/mman.h>

namespace tidemark::loaders::strategies {

Block::Block(std::uint64_t bytes, std::size_t alignment) : bytes_(bytes) {
  void* data = nullptr;
  if (posix_memalign(&data, alignment, bytes) != 0) {
    throw std::bad_alloc();
  }
  data_.reset(static_cast<std::byte*>(data));
  advise_huge_pages(data, bytes);
}

void Block::Free::operator()(std::byte* data) const {
  std::free(data);
}

Mapping::Mapping(const WeightsFile& file, Prefetch prefetch) {
  const int flags = MAP_SHARED | (prefetch == Prefetch::kPopulate ? MAP_POPULATE : 0);
  void* const data = mmap(nullptr, file.size(), PROT_READ, flags, file.descriptor(), 0);
  if (data == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), file.name() + ": cannot be mapped");
  }
  data_ = {static_cast<const std::byte*>(data), Unmap{file.size()}};
  if (prefetch == Prefetch::kWillNeed) {
    madvise(data, file.size(), MADV_WILLNEED);  // advice: what comes of it is what is measured
  }
}

void Mapping::Unmap::operator()(const std::byte* data) const {
  munmap(const_cast<std::byte*>(data), bytes);
}

std::span<std::byte> Weights::add_block(std::uint64_t bytes) {
  const Block& block = blocks.emplace_back(bytes);
  data.emplace_back(block.bytes());
  return block.bytes();
}

}  // namespace tidemark::loaders::strategies
