/// All that is known of one block, in words.
#pragma once

#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "gui/view/blocks/block_picture.hpp"
#include "gui/view/blocks/block_story.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

/// `resized from 320.0 MiB at 374 ms`.
struct BlockResizeLine {
  std::string text;
  trace::AllocationNumber block = 0;  ///< What it was then.
};

struct BlockDetails {
  std::string title;  ///< What it holds, or who asked for it.
  std::string size;   ///< `112.0 MiB of heap`, ... with how often that changed.
  std::string life;   ///< `from 1.120 s to 1.480 s, for 360 ms`.
  std::string end;    ///< `freed at 1.480 s, 1.0 ms after the peak, in phase convert`.
  /// `from byte 123,456 (120.6 KiB) of model.safetensors`: where in the files its bytes are.
  std::vector<std::string> places;
  std::vector<std::string> values;           ///< What its values told of it: see block_values.
  std::vector<BlockResizeLine> resized;      ///< In order.
  std::string thread;                        ///< `main, 4711`; empty: not known.
  std::vector<std::string> tensors;          ///< Those that lie in it.
  std::vector<std::string> came;             ///< What was read, copied and set: a line a place.
  std::vector<std::string> went;             ///< What was copied out of it.
  std::vector<analyzer::NamedFrame> frames;  ///< Innermost first, start-up code and all.
  std::size_t asking = 0;                    ///< Of `frames`: the function that asked.
};

/// What the block's times are told by.
struct LoadTimes {
  std::uint64_t end_ns = 0;                                     ///< Of the recording.
  std::optional<std::uint64_t> peak_ns{};                       ///< None: it is not said.
  std::function<std::string(std::uint64_t ns)> phases_at = {};  ///< See Subject; null: the same.
};

BlockDetails block_details(const BlockStory& story,
                           const trace::Definitions& definitions,
                           const analyzer::BlockContents& contents,
                           const LoadTimes& times);

/// `4.62 MiB from 4.679 s to 4.798 s, for 118 ms`, or to the end. See block_details.
std::string life_line(const LongBlock& block, std::uint64_t trace_end_ns);

/// The largest ways of bytes into the block and out of it, at most so many.
/// @param column_of the column of an instant.
std::vector<BlockArrow> arrows_of(const BlockStory& story,
                                  std::size_t most,
                                  const std::function<double(std::uint64_t ns)>& column_of);

/// The same to be pasted into text.
std::string details_text(const BlockDetails& details);

}  // namespace tidemark::gui
