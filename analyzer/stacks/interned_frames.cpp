#include "analyzer/stacks/interned_frames.hpp"

#include <functional>
#include <string>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kFirstBuckets = 64;

}  // namespace

InternedFrames::InternedFrames(Reading reading)
    : reading_(reading), ids_(kFirstBuckets, Hash{*this}, Equal{*this}) {}

std::uint32_t InternedFrames::id_of(NamedFrame frame) {
  // It has to stand in the table to be looked up.
  const auto next = static_cast<std::uint32_t>(frames_.size());
  frames_.push_back(std::move(frame));
  const auto [known, is_new] = ids_.insert(next);
  if (!is_new) {
    frames_.pop_back();
  }
  return *known;
}

std::size_t InternedFrames::Hash::operator()(std::uint32_t id) const {
  constexpr std::size_t kMultiplier = 0x9e3779b97f4a7c15;
  const std::hash<std::string> hash_text;
  const NamedFrame& frame = table.frames_[id];
  std::size_t hash = hash_text(frame.function);
  if (table.reading_ != Reading::kFunction) {
    hash = (hash * kMultiplier) ^ hash_text(frame.file) ^ frame.line;
  }
  return hash;
}

bool InternedFrames::Equal::operator()(std::uint32_t one, std::uint32_t other) const {
  const NamedFrame& left = table.frames_[one];
  const NamedFrame& right = table.frames_[other];
  return left.function == right.function &&
         (table.reading_ == Reading::kFunction ||
          (left.line == right.line && left.file == right.file)) &&
         (table.reading_ != Reading::kModule || left.module == right.module);
}

const std::vector<std::uint32_t>& RecordedFrames::of(trace::FrameId frame) {
  const auto [entry, is_new] = ids_.try_emplace(trace::index(frame));
  if (is_new) {
    for (NamedFrame& named : named_frame(definitions_, frame)) {
      entry->second.push_back(table_.id_of(std::move(named)));
    }
  }
  return entry->second;
}

std::vector<std::uint32_t> RecordedFrames::of(trace::StackId stack) {
  std::vector<std::uint32_t> all;
  for (const trace::FrameId frame : recorded_frames(definitions_, stack)) {
    const auto& of_frame = of(frame);
    all.insert(all.end(), of_frame.begin(), of_frame.end());
  }
  return all;
}

}  // namespace tidemark::analyzer
