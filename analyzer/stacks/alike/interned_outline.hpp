/// Applies the rules of asker_rules.hpp to stacks of interned frames, examining each frame's names
/// only once.
#pragma once

#include "analyzer/stacks/alike/interned_frames.hpp"
#include "analyzer/stacks/asker_rules.hpp"
#include "analyzer/stacks/frame_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// Places in a stack, counted from its innermost function.
struct InternedOutline {
  std::size_t depth = 0;              ///< Its functions.
  std::size_t asker = 0;              ///< See asking_frame.
  std::optional<std::size_t> native;  ///< See native_asker.
  std::vector<std::size_t> shown;     ///< All that a flame graph shows (outline_of), in order.
};

class InternedFacts {
 public:
  /// `table` stays borrowed.
  explicit InternedFacts(const InternedFrames& table) : table_(table) {}

  /// Borrowed until the next call.
  const FrameFacts& of(std::uint32_t frame) {
    while (facts_.size() <= frame) {
      facts_.push_back(finder_.of(table_[static_cast<std::uint32_t>(facts_.size())]));
    }
    return facts_[frame];
  }

  /// @param frames a whole stack, innermost first; of an empty one, nothing.
  InternedOutline outline_of(std::span<const std::uint32_t> frames) {
    std::vector<FrameFacts> facts;
    facts.reserve(frames.size());
    for (const std::uint32_t frame : frames) {
      facts.push_back(of(frame));
    }
    const std::span<const FrameFacts> stack(facts);
    if (stack.empty()) {
      return {};
    }
    Outline<std::size_t> places = find_outline(stack);
    const std::size_t native = find_native_asker(stack);
    InternedOutline outline{.depth = stack.size(),
                            .asker = find_asking(stack),
                            .native = native < stack.size() ? std::optional(native) : std::nullopt,
                            .shown = std::move(places.called)};
    outline.shown.insert(outline.shown.end(), places.asking.begin(), places.asking.end());
    return outline;
  }

 private:
  const InternedFrames& table_;
  FrameFactsFinder finder_;
  std::vector<FrameFacts> facts_;  // By number of the frame.
};

}  // namespace tidemark::analyzer
