/// Walks one stack outwards from the function that asked for the memory.
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

/// A cursor on a stack; 24 bytes, so that there may be millions. Skips allocators and containers at
/// the inner end, unless the stack has nothing else.
class CallerWalk {
 public:
  /// Starts at the asking function. `names` stays borrowed.
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
  std::uint32_t node_;        // In the stack table; 0: an unknown stack.
  std::uint32_t inline_ = 0;  // Which of the frame's functions.
  std::uint32_t steps_ = 0;   // From the innermost function, or kEnded.
};

}  // namespace tidemark::exports
