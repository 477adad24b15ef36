#include "analyzer/query/live/allocation_set.hpp"

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t bit_of(trace::AllocationNumber number) {
  return std::uint64_t{1} << (number % 64);
}

}  // namespace

void AllocationSet::insert(trace::AllocationNumber number) {
  if (number >= kDenseLimit) {
    sparse_.insert(number);
    return;
  }
  const auto page = static_cast<std::size_t>(number / kPageBits);
  if (page >= pages_.size()) {
    pages_.resize(page + 1);
  }
  if (!pages_[page]) {
    pages_[page] = std::make_unique<Page>();
  }
  (*pages_[page])[number % kPageBits / 64] |= bit_of(number);
}

bool AllocationSet::contains(trace::AllocationNumber number) const {
  if (number >= kDenseLimit) {
    return sparse_.contains(number);
  }
  const auto page = static_cast<std::size_t>(number / kPageBits);
  return page < pages_.size() && pages_[page] &&
         ((*pages_[page])[number % kPageBits / 64] & bit_of(number)) != 0;
}

}  // namespace tidemark::analyzer
