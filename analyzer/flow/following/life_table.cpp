#include "analyzer/flow/following/life_table.hpp"

namespace tidemark::analyzer {

std::uint32_t LifeTable::find(trace::AllocationNumber allocation) const {
  const auto found = alive_.find(allocation);
  return found == alive_.end() ? BlockLife::kNone : found->second;
}

std::uint32_t LifeTable::add(const BlockLife& life) {
  std::uint32_t index = BlockLife::kNone;
  if (!unused_.empty()) {
    index = unused_.back();
    unused_.pop_back();
    lives_[index] = life;
  } else if (lives_.size() < kMaxLives) {
    index = static_cast<std::uint32_t>(lives_.size());
    lives_.push_back(life);
  } else {
    ++left_out_;
    return BlockLife::kNone;
  }
  alive_[life.allocation] = index;
  ever_known_.insert(life.allocation);
  return index;
}

void LifeTable::renumber(std::uint32_t index,
                         trace::AllocationNumber from,
                         trace::AllocationNumber allocation) {
  alive_.erase(from);
  alive_[allocation] = index;
  ever_known_.insert(allocation);
  lives_[index].allocation = allocation;
}

void LifeTable::forget(std::uint32_t index) {
  lives_[index] = {};
  lives_[index].born = BlockLife::kNever;
  unused_.push_back(index);
}

}  // namespace tidemark::analyzer
