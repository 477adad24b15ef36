#include "analyzer/stacks/alike/interned_frames.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kFirstBuckets = 64;
constexpr std::size_t kMultiplier = 0x9e3779b97f4a7c15;

}  // namespace

InternedFrames::InternedFrames(Reading reading)
    : reading_(reading), ids_(kFirstBuckets, Hash{*this}, Equal{*this}) {}

std::uint32_t InternedFrames::id_of(NamedFrame frame) {
  // Only what is in the table can be looked up.
  const auto next = static_cast<std::uint32_t>(frames_.size());
  frames_.push_back(std::move(frame));
  const auto [known, is_new] = ids_.insert(next);
  if (!is_new) {
    frames_.pop_back();
  }
  return *known;
}

std::size_t InternedFrames::Hash::operator()(std::uint32_t id) const {
  const std::hash<std::string> hash_text;
  const NamedFrame& frame = table.frames_[id];
  std::size_t hash = hash_text(frame.function);
  if (needs_its_file(frame)) {
    hash = (hash * kMultiplier) ^ hash_text(frame.file);
  }
  if (table.reading_ != Reading::kFunction) {
    hash = (hash * kMultiplier) ^ hash_text(frame.file) ^ frame.line;
  }
  return hash;
}

bool InternedFrames::Equal::operator()(std::uint32_t one, std::uint32_t other) const {
  const NamedFrame& left = table.frames_[one];
  const NamedFrame& right = table.frames_[other];
  return left.function == right.function &&
         (table.reading_ == Reading::kFunction
              ? left.file == right.file || !needs_its_file(left)
              : left.line == right.line && left.file == right.file) &&
         (table.reading_ != Reading::kModule || left.module == right.module);
}

std::span<const std::uint32_t> RecordedFrames::of(trace::FrameId frame) {
  const std::size_t number = trace::index(frame);
  if (number >= definitions_.frames.size()) {
    return {};
  }
  if (number >= ranges_.size()) {
    ranges_.resize(definitions_.frames.size());
  }
  Range& range = ranges_[number];
  if (range.begin == Range::kUnknown) {
    range.begin = static_cast<std::uint32_t>(ids_.size());
    for (NamedFrame& named : named_frame(definitions_, frame)) {
      ids_.push_back(table_.id_of(std::move(named)));
    }
    range.count = static_cast<std::uint32_t>(ids_.size()) - range.begin;
  }
  return std::span(ids_).subspan(range.begin, range.count);
}

std::vector<std::uint32_t> RecordedFrames::of(trace::StackId stack) {
  const auto frames = recorded_frames(definitions_, stack);
  std::vector<std::uint32_t> all;
  all.reserve(frames.size());
  for (const trace::FrameId frame : frames) {
    const auto of_frame = of(frame);
    all.insert(all.end(), of_frame.begin(), of_frame.end());
  }
  return all;
}

ChildIndex::Child ChildIndex::of(std::uint32_t parent, std::uint32_t key) {
  if (nodes_.size() * 4 > slots_.size() * 3) {
    double_slots();
  }
  std::size_t slot = first_slot(parent, key);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const Node& node = nodes_[slots_[slot]];
    if (node.parent == parent && node.key == key) {
      return {slots_[slot], false};
    }
  }
  slots_[slot] = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({parent, key});
  return {slots_[slot], true};
}

std::size_t ChildIndex::first_slot(std::uint32_t parent, std::uint32_t key) const {
  // A product mixes upwards only, so that what is above is folded down in between and after.
  std::uint64_t hash = (std::uint64_t{parent} << 32U | key) * kMultiplier;
  hash = (hash ^ hash >> 32U) * kMultiplier;
  return (hash ^ hash >> 32U) & (slots_.size() - 1);
}

void ChildIndex::double_slots() {
  const std::size_t count = std::max(kFirstBuckets, slots_.size() * 2);
  slots_ = std::vector<std::uint32_t>();  // Given back first: the nodes say all that was there.
  slots_.resize(count);
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    std::size_t slot = first_slot(nodes_[node].parent, nodes_[node].key);
    while (slots_[slot] != 0) {
      slot = (slot + 1) & (count - 1);
    }
    slots_[slot] = node;
  }
}

}  // namespace tidemark::analyzer
