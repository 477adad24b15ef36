/// The names that recorded frames read as, each one once.
#pragma once

#include "analyzer/stacks/alike/interned_frames.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::exports {

/// Name of an unknown stack.
constexpr const char* kUnknownStack = "[unknown stack]";

/// Name of stacks each too small to be shown.
constexpr const char* kSmallerStacks = "(smaller)";

using analyzer::Reading;

/// Gives recorded frames dense ids by what they read as. A frame with inlined calls has several.
class FrameNames {
 public:
  /// `definitions` stays borrowed.
  FrameNames(const trace::Definitions& definitions, Reading reading);

  /// The id of kUnknownStack.
  static constexpr std::uint32_t kUnknown = 0;
  /// The id of kSmallerStacks.
  static constexpr std::uint32_t kSmaller = 1;

  /// See analyzer::RecordedFrames.
  std::span<const std::uint32_t> of(trace::FrameId frame);
  [[nodiscard]] const analyzer::NamedFrame& operator[](std::uint32_t id) const {
    return table_[id];
  }
  /// See analyzer::is_allocation_plumbing.
  [[nodiscard]] bool is_plumbing(std::uint32_t id) const { return is_plumbing_.at(id); }
  [[nodiscard]] std::size_t size() const { return table_.size(); }
  [[nodiscard]] const trace::Definitions& definitions() const { return frames_.definitions(); }

 private:
  analyzer::InternedFrames table_;
  analyzer::RecordedFrames frames_;
  std::vector<bool> is_plumbing_;  // By id: asked of every stack, so decided once.
};

}  // namespace tidemark::exports
