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
  trace::AllocationNumber block = 0;  ///< Its allocation number then.
};

struct BlockDetails {
  std::string title;  ///< What it holds, or else who asked for it.
  std::string size;   ///< `112.0 MiB of heap`, with how often it was resized.
  std::string life;   ///< `from 1.120 s to 1.480 s, for 360 ms`.
  std::string end;    ///< `freed at 1.480 s, 1.0 ms after the peak, in phase convert`.
  /// `from byte 123,456 (120.6 KiB) of model.safetensors`: where in the files its bytes are.
  std::vector<std::string> places;
  std::vector<std::string> values;           ///< What its values show: see block_values.
  std::vector<BlockResizeLine> resized;      ///< In order.
  std::string thread;                        ///< `main, 4711`; empty: not known.
  std::vector<std::string> tensors;          ///< The tensors in it.
  std::vector<std::string> came;             ///< What was read, copied and set; a line each.
  std::vector<std::string> went;             ///< What was copied out of it.
  std::vector<analyzer::NamedFrame> frames;  ///< Innermost first, with start-up code.
  std::size_t asking = 0;                    ///< Index into `frames` of the function that asked.
};

/// The recording's times that a block's times are compared with.
struct LoadTimes {
  std::uint64_t end_ns = 0;                                     ///< The recording's end.
  std::optional<std::uint64_t> peak_ns{};                       ///< None: the texts leave it out.
  std::function<std::string(std::uint64_t ns)> phases_at = {};  ///< See Subject; null: left out.
};

BlockDetails block_details(const BlockStory& story,
                           const trace::Definitions& definitions,
                           const analyzer::BlockContents& contents,
                           const LoadTimes& times);

/// `4.62 MiB from 4.679 s to 4.798 s, for 118 ms`, or up to the end.
std::string life_line(const LongBlock& block, std::uint64_t trace_end_ns);

/// The largest movements of bytes into and out of the block, at most `most`; fills are left out.
/// @param column_of the column of an instant.
std::vector<BlockArrow> arrows_of(const BlockStory& story,
                                  std::size_t most,
                                  const std::function<double(std::uint64_t ns)>& column_of);

/// The details as text for the clipboard.
std::string details_text(const BlockDetails& details);

}  // namespace tidemark::gui
