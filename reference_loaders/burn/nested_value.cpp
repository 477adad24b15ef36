#include "reference_loaders/burn/nested_value.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tidemark::loaders::burn {
namespace {

/// Up to here looking at every key is faster, and a record's maps have two or three.
constexpr std::size_t kFewChildren = 16;

}  // namespace

NestedString nested_string(std::string_view text) {
  auto made = NestedString::with_capacity(text.size());
  std::ranges::copy(text, made.extend(text.size()));
  return made;
}

NestedValue* NestedMap::find(std::string_view key) {
  if (index_.empty()) {
    for (NestedEntry& entry : entries_) {
      if (view(entry.key) == key) {
        return &entry.value;
      }
    }
    return nullptr;
  }
  const std::uint32_t position = index_[slot_of(key)];
  return position == 0 ? nullptr : &entries_[position - 1].value;
}

NestedValue& NestedMap::insert(std::string_view key, NestedValue value) {
  entries_.push({nested_string(key), std::move(value)});
  if (entries_.size() > kFewChildren && entries_.size() * 2 > index_.size()) {
    rebuild_index();
  } else if (!index_.empty()) {
    index_[slot_of(key)] = static_cast<std::uint32_t>(entries_.size());
  }
  return entries_[entries_.size() - 1].value;
}

/// Where `key` is, or the free slot where it belongs.
std::size_t NestedMap::slot_of(std::string_view key) const {
  std::size_t slot = std::hash<std::string_view>{}(key) % index_.size();
  while (index_[slot] != 0 && view(entries_[index_[slot] - 1].key) != key) {
    slot = (slot + 1) % index_.size();
  }
  return slot;
}

void NestedMap::rebuild_index() {
  const std::size_t slots = 4 * entries_.size();
  index_ = GrowingVec<std::uint32_t>::with_capacity(slots);
  std::fill_n(index_.extend(slots), slots, 0);
  for (std::size_t at = 0; at < entries_.size(); ++at) {
    index_[slot_of(view(entries_[at].key))] = static_cast<std::uint32_t>(at + 1);
  }
}

}  // namespace tidemark::loaders::burn
