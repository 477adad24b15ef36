#include "collector/drain/tables/mapping_table.hpp"

#include <algorithm>
#include <iterator>

namespace tidemark {

void MappingTable::split_at(std::uint64_t address) {
  auto after = by_begin_.lower_bound(address);
  if (after == by_begin_.begin())
    return;
  Mapping& left = std::prev(after)->second;
  if (left.end <= address)
    return;
  left.whole = false;
  Mapping right = left;
  right.begin = address;
  right.offset += address - left.begin;
  left.end = address;
  by_begin_.emplace_hint(after, address, right);
  count(right, 1);
}

std::vector<Mapping> MappingTable::take(std::uint64_t begin, std::uint64_t end) {
  std::vector<Mapping> taken;
  if (begin >= end)
    return taken;
  split_at(begin);
  split_at(end);
  const auto first = by_begin_.lower_bound(begin);
  auto last = first;
  for (; last != by_begin_.end() && last->first < end; ++last) {
    taken.push_back(last->second);
    count(last->second, -1);
  }
  by_begin_.erase(first, last);
  return taken;
}

void MappingTable::count(const Mapping& mapping, int change) {
  if (mapping.kind == Mapping::Kind::kShared && (shared_[mapping.object] += change) == 0)
    shared_.erase(mapping.object);
}

void MappingTable::insert(const Mapping& mapping) {
  if (mapping.begin >= mapping.end)
    return;
  if (by_begin_.insert_or_assign(mapping.begin, mapping).second)
    count(mapping, 1);
}

std::vector<Mapping> MappingTable::in(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Mapping> found;
  auto at = by_begin_.upper_bound(begin);
  if (at != by_begin_.begin())
    --at;
  for (; at != by_begin_.end() && at->first < end; ++at) {
    if (at->second.end <= begin)
      continue;
    Mapping part = at->second;
    part.begin = std::max(part.begin, begin);
    part.offset += part.begin - at->second.begin;
    part.end = std::min(part.end, end);
    part.whole = part.whole && part.bytes() == at->second.bytes();
    found.push_back(part);
  }
  return found;
}

const Mapping* MappingTable::find(std::uint64_t address) const {
  const auto after = by_begin_.upper_bound(address);
  if (after == by_begin_.begin())
    return nullptr;
  const Mapping& before = std::prev(after)->second;
  return address < before.end ? &before : nullptr;
}

bool MappingTable::check_invariants() const {
  std::uint64_t previous_end = 0;
  for (const auto& [begin, mapping] : by_begin_) {
    if (begin != mapping.begin || mapping.begin >= mapping.end || begin < previous_end)
      return false;
    previous_end = mapping.end;
  }
  return true;
}

}  // namespace tidemark
