/// What came into blocks and what went out of them, in words.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// Smaller copies and fills are not recorded, see FORMAT.md.
constexpr std::uint64_t kMinCopyBytes = std::uint64_t{64} << 10U;

/// All bytes that went in one direction between one or several blocks and one other place. Times
/// are since the start of the recording.
struct BlockPassage {
  enum class Kind : std::uint8_t { kRead, kCopiedIn, kFilled, kCopiedOut };
  /// The block at the other end of a copy.
  struct Other {
    trace::AllocationNumber allocation = 0;
    std::uint64_t bytes = 0;  ///< Bytes that it had at first.
    trace::StackId stack = trace::kNoStack;
  };

  Kind kind = Kind::kRead;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  ///< In so many reads, copies or fills.
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  trace::AllocationNumber own = 0;  ///< The block's number at the first of them.
  std::string file{};               ///< For kRead: the file's path.
  std::optional<Other> other{};     ///< For copies; none if it is no known block.
};

/// One line per place; blocks allocated by one line of code are one place.
struct PassageTexts {
  std::vector<std::string> came{};
  std::vector<std::string> went{};
};

/// @param passages one for each other place, in the order in which they are listed.
/// @param most_bytes of the largest of the blocks, at any time: if that much could have been seen
/// to come, and nothing was, the text says so.
/// @param blocks how to refer to them: `it`, `them`.
PassageTexts passage_texts(const trace::Definitions& definitions,
                           const std::vector<BlockPassage>& passages,
                           std::uint64_t most_bytes,
                           std::string_view blocks = "it");

}  // namespace tidemark::analyzer
