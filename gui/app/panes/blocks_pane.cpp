#include "gui/app/panes/blocks_pane.hpp"

#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/widgets.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <utility>

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

}  // namespace

void BlocksPane::show(const Desk& desk) {
  OpenTrace& trace = desk.chosen();
  trace.ask_blocks();
  const auto list = trace.blocks();
  if (!list) {
    ImGui::TextDisabled("following the blocks ...");
    return;
  }
  if (named_for_ != &trace) {
    named_for_ = &trace;
    names_.clear();
    contents_.emplace(trace.definitions());
    content_texts_.clear();
  }
  const float toolbar_height = ImGui::GetFrameHeightWithSpacing();
  const picture::Box all = rest_of_window();
  const double left = desk.look.measure("1023 MiB", desk.look.type.small, false) + desk.look.px(8);
  const double right = desk.look.measure("10W", desk.look.type.small, false) + desk.look.px(8);
  const double top = static_cast<double>(toolbar_height) + desk.look.px(4);
  // The same edges as the timeline's above it: columns stand below each other.
  const double begin = std::floor(all.x + left);
  const double end = std::floor(all.right() - right);
  const picture::Box place{begin, all.y + top, std::max(end - begin, 1.0),
                           std::max(all.height - top - desk.look.type.small / 2, 1.0)};
  const auto columns_wide = static_cast<std::size_t>(place.width);
  const picture::Warp& warp = desk.session.axis().warps[desk.state.side];
  const ViewRange& now = desk.glide.now();
  const auto columns = trace.columns_at_hand(warp, now, columns_wide);
  const std::uint64_t highest = std::max<std::uint64_t>(trace.subject().peak_bytes, 1);
  const auto smallest =
      static_cast<std::uint64_t>(kMinBlockPixels * static_cast<double>(highest) / place.height);
  const BlockStack& stack = this->stack({list, borders_of(warp, now, columns_wide), smallest});
  const auto hill = this->hill(desk, *list, stack, columns, columns_wide);
  toolbar(desk, *list, stack, hill.has_value());
  picture::Scene scene;
  draw_blocks(scene,
              {.list = list.get(),
               .stack = &stack,
               .columns = &columns,
               .highest = highest,
               .hill = hill ? &*hill : nullptr,
               .name = [&](const LongBlock& block) { return name(desk, block); },
               .hovered = hovered_},
              place, desk.look);
  show_pane_scene(
      desk, "blocks", scene,
      {all.x, all.y + top - desk.look.px(4), all.width, all.height - top + desk.look.px(4)});
  hovered_.reset();
  const picture::Point at = pointer();
  if (!ImGui::IsItemHovered() || at.x < place.x || at.x >= place.right()) {
    return;
  }
  const double share = (place.bottom() - at.y) / place.height;
  const auto bytes =
      static_cast<std::uint64_t>(std::max(share, 0.0) * static_cast<double>(highest));
  if (const auto shape = shape_at(stack, static_cast<std::size_t>(at.x - place.x), bytes)) {
    const BlockShape& pointed_at = stack.shapes[*shape];
    hovered_ = list->blocks[pointed_at.block].allocation;
    tell(desk, *list, pointed_at);
  }
}

/// None unless the timeline is layered by function, and its layers are known.
std::optional<Hill> BlocksPane::hill(const Desk& desk,
                                     const BlockList& list,
                                     const BlockStack& stack,
                                     const std::vector<picture::StackedColumn>& columns,
                                     std::size_t columns_wide) {
  constexpr auto kBy = analyzer::LayerGrouping::kFunction;
  const auto layers = desk.session.layers(kBy);
  if (desk.state.by != kBy || layers == nullptr) {
    return std::nullopt;
  }
  std::vector<std::vector<picture::StackedColumn>> all(desk.session.size());
  all[desk.state.side] = columns;
  const auto bands = desk.session.bands(kBy, all, desk.glide.now(), desk.glide.goal(), columns_wide,
                                        desk.look.theme)[desk.state.side];
  if (bands.size() != layers->size()) {
    return std::nullopt;
  }
  if (layers != layers_) {
    layers_ = layers;
    for (auto& [stack_id, asked] : names_) {
      asked.layer.reset();
    }
  }
  return hill_of(bands, *layers, stack, columns, [&](std::size_t block) {
    AskedBy& asked = asked_by(desk, list.blocks[block].stack);
    if (!asked.layer) {
      asked.layer = asked.frame ? layer_of_function(*layers, *asked.frame) : 0;
    }
    return *asked.layer;
  });
}

const BlockStack& BlocksPane::stack(Stacked wanted) {
  if (wanted != stacked_) {
    stack_ = stack_blocks(*wanted.list, wanted.borders, wanted.smallest);
    stacked_ = std::move(wanted);
  }
  return stack_;
}

void BlocksPane::toolbar(const Desk& desk,
                         const BlockList& list,
                         const BlockStack& stack,
                         bool has_hill) {
  ImGui::AlignTextToFramePadding();
  std::size_t shown = 0;
  for (const BlockShape& shape : stack.shapes) {
    shown += shape.count;
  }
  std::string text =
      fmt::format("{} blocks in view; {}: {} smaller ones", analyzer::format_count(shown),
                  has_hill ? "above them, in the timeline's colours" : "the grey band",
                  analyzer::format_count(stack.folded));
  if (list.others > 0) {
    text += fmt::format(", and those up to {}", analyzer::format_size(list.smallest));
  }
  ImGui::TextUnformatted(text.c_str());
  ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
  ImGui::TextDisabled("colour by");
  ImGui::SameLine();
  choice("function", BlockColour::kStack, desk.state.block_colour);
  choice("file", BlockColour::kFile, desk.state.block_colour);
  choice("thread", BlockColour::kThread, desk.state.block_colour);
  choice("size", BlockColour::kSize, desk.state.block_colour);
  ImGui::NewLine();
}

BlocksPane::AskedBy& BlocksPane::asked_by(const Desk& desk, trace::StackId stack) {
  const auto [entry, is_new] = names_.try_emplace(trace::index(stack));
  AskedBy& asked_by = entry->second;
  if (is_new) {
    asked_by.frame = analyzer::asking_of(desk.chosen().definitions(), stack);
    const auto& frame = asked_by.frame;
    asked_by.function = frame ? analyzer::short_name(*frame) : "(no stack)";
    asked_by.file = !frame ? "" : frame->file.empty() ? frame->module : frame->file;
  }
  return asked_by;
}

BlockName BlocksPane::name(const Desk& desk, const LongBlock& block) {
  const AskedBy& asked = asked_by(desk, block.stack);
  return {asked.function, content_of(desk, block),
          colour_number(desk.state.block_colour, asked, block)};
}

const std::string& BlocksPane::content_of(const Desk& desk, const LongBlock& block) {
  const auto [entry, is_new] = content_texts_.try_emplace(block.allocation);
  if (is_new && contents_->knows(block.allocation)) {
    entry->second =
        analyzer::content_text(desk.chosen().definitions(), contents_->parts_of(block.allocation));
  }
  return entry->second;
}

std::uint64_t BlocksPane::colour_number(BlockColour by,
                                        const AskedBy& asked_by,
                                        const LongBlock& block) {
  switch (by) {
    case BlockColour::kFile:
      return number_of(asked_by.file);
    case BlockColour::kThread:
      return trace::index(block.thread);
    case BlockColour::kSize:
      return static_cast<std::uint64_t>(std::bit_width(block.bytes));
    case BlockColour::kStack:
      break;
  }
  return number_of(asked_by.function);
}

/// The tensors that lie in the block.
void BlocksPane::tell_tensors(const Desk& desk, const std::vector<analyzer::TensorPart>& parts) {
  constexpr std::size_t kMaxTooltipTensors = 6;
  for (std::size_t i = 0; i < std::min(parts.size(), kMaxTooltipTensors); ++i) {
    const std::string line = analyzer::part_text(desk.chosen().definitions(), parts[i]);
    ImGui::TextUnformatted(line.c_str());
  }
  if (parts.size() > kMaxTooltipTensors) {
    ImGui::TextDisabled("%s more tensors",
                        analyzer::format_count(parts.size() - kMaxTooltipTensors).c_str());
  }
  ImGui::Separator();
}

void BlocksPane::tell(const Desk& desk, const BlockList& list, const BlockShape& shape) const {
  const LongBlock& block = list.blocks[shape.block];
  const OpenTrace& trace = desk.chosen();
  const std::string life =
      shape.count == 1 ? life_of(block, trace.subject().duration_ns) : sum_of(shape);
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(life.c_str());
  if (contents_->knows(block.allocation) && shape.count == 1) {
    tell_tensors(desk, contents_->parts_of(block.allocation));
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
  ImGui::EndTooltip();
}

}  // namespace tidemark::gui
