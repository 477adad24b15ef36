#include "reference_loaders/ggml/free_blocks.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace tidemark::loaders::ggml {

std::optional<std::uintptr_t> FreeBlocks::take(std::uint64_t bytes) {
  const auto hole = best_hole(bytes);
  const bool from_rest = rest_is_taken(bytes, hole);
  if (!from_rest && hole == holes_.end()) {
    return std::nullopt;
  }
  Block& block = from_rest ? rest_ : *hole;
  const std::uintptr_t address = std::exchange(block.address, block.address + bytes);
  block.bytes -= bytes;
  if (!from_rest && block.bytes == 0) {
    holes_.erase(hole);
  }
  return address;
}

FreeBlocks::Hole FreeBlocks::best_hole(std::uint64_t bytes) {
  auto best = holes_.end();
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    if (hole->bytes >= bytes && (best == holes_.end() || hole->bytes <= best->bytes)) {
      best = hole;
    }
  }
  return best;
}

bool FreeBlocks::rest_is_taken(std::uint64_t bytes, Hole hole) const {
  if (rest_.bytes < bytes) {
    return false;
  }
  return hole == holes_.end() || (fit_ == Fit::kRestCompetes && rest_.bytes <= hole->bytes);
}

void FreeBlocks::give_back(Block block) {
  auto next = std::ranges::lower_bound(holes_, block.address, {}, &Block::address);
  if (next != holes_.end() && block.address + block.bytes == next->address) {
    block.bytes += next->bytes;
    next = holes_.erase(next);
  }
  if (next != holes_.begin() &&
      std::prev(next)->address + std::prev(next)->bytes == block.address) {
    block = {std::prev(next)->address, std::prev(next)->bytes + block.bytes};
    next = holes_.erase(std::prev(next));
  }
  if (block.address + block.bytes == rest_.address) {
    rest_ = {block.address, block.bytes + rest_.bytes};
    return;
  }
  if (holes_.size() == kMaxHoles) {
    throw std::length_error("the allocator has more than 128 free blocks");
  }
  holes_.insert(next, block);
}

std::uint64_t FreeBlocks::largest() const {
  std::uint64_t largest = rest_.bytes;
  for (const Block& hole : holes_) {
    largest = std::max(largest, hole.bytes);
  }
  return largest;
}

}  // namespace tidemark::loaders::ggml
