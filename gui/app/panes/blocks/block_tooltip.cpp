#include "gui/app/panes/blocks/block_tooltip.hpp"

#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/widgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tidemark::gui {
namespace {

std::string life_of(const LongBlock& block, std::uint64_t trace_end_ns) {
  const bool ends = block.end_ns != LongBlock::kNever;
  const std::uint64_t end = ends ? block.end_ns : trace_end_ns;
  return fmt::format("{} from {} {}{}, for {}", analyzer::format_size(block.bytes),
                     analyzer::format_time(block.begin_ns), ends ? "to " : "to the end, ",
                     analyzer::format_time(end),
                     analyzer::format_time(end - std::min(block.begin_ns, end)));
}

std::string sum_of(const BlockShape& bundle) {
  return fmt::format("{} blocks in view, at once up to {}", analyzer::format_count(bundle.count),
                     analyzer::format_size(bundle.most));
}

/// The tensors that lie in the block.
void tell_tensors(const trace::Definitions& definitions,
                  const std::vector<analyzer::TensorPart>& parts) {
  constexpr std::size_t kMaxTooltipTensors = 6;
  for (std::size_t i = 0; i < std::min(parts.size(), kMaxTooltipTensors); ++i) {
    const std::string line = analyzer::part_text(definitions, parts[i]);
    ImGui::TextUnformatted(line.c_str());
  }
  if (parts.size() > kMaxTooltipTensors) {
    ImGui::TextDisabled("%s more tensors",
                        analyzer::format_count(parts.size() - kMaxTooltipTensors).c_str());
  }
  ImGui::Separator();
}

}  // namespace

void tell_block(const Desk& desk,
                std::size_t side,
                const BlockList& list,
                const BlockShape& shape,
                const analyzer::BlockContents& contents,
                const std::string& partner) {
  const LongBlock& block = list.blocks[shape.block];
  const OpenTrace& trace = desk.session.trace(side);
  const std::string life =
      shape.count == 1 ? life_of(block, trace.subject().duration_ns) : sum_of(shape);
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(life.c_str());
  if (contents.knows(block.allocation) && shape.count == 1) {
    tell_tensors(trace.definitions(), contents.parts_of(block.allocation, block.bytes));
  }
  constexpr std::size_t kMaxTooltipFrames = 16;
  const auto frames = analyzer::named_stack(trace.definitions(), block.stack);
  const std::size_t asking = frames.empty() ? 0 : analyzer::asking_frame(frames);
  const std::size_t last = std::min(analyzer::startup_begin(frames), asking + kMaxTooltipFrames);
  for (std::size_t i = asking; i < last; ++i) {
    const std::string line = analyzer::short_name(frames[i]);
    ImGui::TextUnformatted(line.c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%s", place_text(frames[i]).c_str());
  }
  if (!partner.empty()) {
    ImGui::Separator();
    ImGui::TextUnformatted(partner.c_str());
  }
  ImGui::EndTooltip();
}

}  // namespace tidemark::gui
