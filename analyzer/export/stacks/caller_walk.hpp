/// A way along one stack, from who asked for the memory outwards.
#pragma once

#include "analyzer/export/stacks/frame_names.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::exports {

/// One function on the way.
struct Place {
  std::uint32_t name = FrameNames::kUnknown;
  trace::FrameId frame{0};  ///< The recorded frame that reads so.
  bool has_frame = false;   ///< False for the one place of an unknown stack.
};

/// Stands at one place of a stack at a time; 24 bytes, so that there may be millions. Allocators
/// and containers are left out at the beginning, but for a stack of nothing else.
class CallerWalk {
 public:
  /// At who asked. `names` stays borrowed.
  CallerWalk(FrameNames& names, trace::StackId stack);

  [[nodiscard]] bool is_at_end() const { return steps_ == kEnded; }
  /// REQUIRES: not at the end.
  [[nodiscard]] Place place() const;
  /// To the caller.
  void advance();

 private:
  static constexpr std::uint32_t kEnded = UINT32_MAX;

  void skip_nameless_frames();

  FrameNames* names_;
  std::uint32_t node_;        // Of the stack table; 0: an unknown stack.
  std::uint32_t inline_ = 0;  // Which of the frame's functions.
  std::uint32_t steps_ = 0;   // From the innermost function, or kEnded.
};

}  // namespace tidemark::exports
