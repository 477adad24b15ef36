#include "gui/app/panes/blocks/block_tooltip.hpp"

#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/widgets.hpp"
#include "gui/view/blocks/details/block_details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tidemark::gui {
namespace {

std::string sum_of(const BlockShape& bundle) {
  return fmt::format("{} blocks in view, at once up to {}", analyzer::format_count(bundle.count),
                     analyzer::format_size(bundle.most));
}

/// The tensors in the block.
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

/// The lines that the details show after a click pins the layer.
void tell_layer(const Desk& desk, const LayerBlocks& blocks, std::size_t layer) {
  const std::vector<std::string>& lines = blocks.lines.at(layer);
  if (lines.empty()) {
    const analyzer::Instant& peak = desk.session.trace(blocks.question.side).subject().peak_at;
    ImGui::TextDisabled("none of its blocks is there %s", blocks.question.begin_ns == peak.at_ns
                                                              ? "at the peak"
                                                              : "where it was clicked on");
  }
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + static_cast<float>(desk.look.px(520)));
  for (const std::string& line : lines) {
    ImGui::TextUnformatted(line.c_str());
  }
  ImGui::PopTextWrapPos();
}

}  // namespace

void tell_hill(const Desk& desk,
               const Hill& hill,
               std::size_t band,
               const std::vector<std::string>& words,
               const LayerBlocks* blocks) {
  ImGui::BeginTooltip();
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const auto swatch = static_cast<float>(desk.look.px(10));
  ImGui::GetWindowDrawList()->AddRectFilled({from.x, from.y + (line - swatch) / 2},
                                            {from.x + swatch, from.y + (line + swatch) / 2},
                                            packed(hill.bands.colours[band]));
  ImGui::Dummy({swatch, line});
  ImGui::SameLine();
  ImGui::TextUnformatted(hill.names[band].c_str());
  ImGui::TextUnformatted(words.front().c_str());
  ImGui::TextDisabled("%s", words.back().c_str());
  ImGui::Separator();
  if (blocks == nullptr) {
    ImGui::TextDisabled("following its blocks ...");
  } else {
    tell_layer(desk, *blocks, band);
  }
  ImGui::EndTooltip();
}

void tell_block(const Desk& desk,
                std::size_t side,
                const LongBlock& block,
                const BlockShape& shape,
                const analyzer::BlockContents& contents,
                const std::string& partner) {
  const OpenTrace& trace = desk.session.trace(side);
  const std::string life = life_line(block, trace.subject().duration_ns);
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(life.c_str());
  if (shape.count > 1) {
    ImGui::TextDisabled("one of %s", sum_of(shape).c_str());
  }
  if (contents.names_tensors(block.allocation)) {
    tell_tensors(trace.definitions(),
                 contents.held_parts(block.allocation, block.lane, block.bytes));
  }
  constexpr std::size_t kMaxTooltipFrames = 6;
  const auto frames = analyzer::named_stack(trace.definitions(), block.stack);
  const std::size_t asking = frames.empty() ? 0 : analyzer::asking_frame(frames);
  const std::size_t end = std::max(analyzer::startup_begin(frames), asking);
  const std::size_t last = std::min(end, asking + kMaxTooltipFrames);
  for (std::size_t i = asking; i < last; ++i) {
    const std::string line = analyzer::last_parts(analyzer::short_name(frames[i]));
    ImGui::TextUnformatted(line.c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("%s", place_text(frames[i]).c_str());
  }
  if (last < end) {
    ImGui::TextDisabled("%zu more callers: a click shows all", end - last);
  }
  if (!partner.empty()) {
    ImGui::Separator();
    ImGui::TextUnformatted(partner.c_str());
  }
  ImGui::EndTooltip();
}

}  // namespace tidemark::gui
