#include "gui/app/panes/blocks_pane.hpp"

#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/widgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// At the upper edge: as high as the timeline's part of the sizes.
std::uint64_t bytes_in_view(const Desk& desk) {
  const auto peak = static_cast<double>(desk.chosen().subject().peak_bytes);
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(peak * desk.state.height), 1);
}

std::string sum_of(const BlockShape& bundle) {
  return fmt::format("{} blocks in view, at once up to {}", analyzer::format_count(bundle.count),
                     analyzer::format_size(bundle.most));
}

}  // namespace

void BlocksPane::show(const Desk& desk) {
  OpenTrace& trace = desk.chosen();
  trace.ask_blocks();
  know(desk);
  const auto list = trace.blocks();
  if (!list) {
    ImGui::TextDisabled("following the blocks ...");
    return;
  }
  picture(desk, list);
}

/// What names and contents were found is of one trace.
void BlocksPane::know(const Desk& desk) {
  const OpenTrace& trace = desk.chosen();
  const bool is_block_new = std::exchange(known_block_, desk.state.block) != desk.state.block;
  if (named_for_ == &trace) {
    return;
  }
  // A number is another block in another trace.
  if (named_for_ != nullptr && !is_block_new) {
    desk.state.block = known_block_ = std::nullopt;
  }
  named_for_ = &trace;
  names_.clear();
  layers_.reset();
  contents_.emplace(trace.definitions());
  content_texts_.clear();
}

BlockLayers* BlocksPane::layers(const Desk& desk) {
  const auto known = desk.session.layers(desk.state.by);
  if (known == nullptr) {
    return nullptr;
  }
  if (!layers_ || layers_by_ != desk.state.by || !layers_->are(known)) {
    layers_by_ = desk.state.by;
    layers_.emplace(desk.chosen().layered(), desk.state.side, desk.state.by, known);
  }
  return &*layers_;
}

void BlocksPane::picture(const Desk& desk, const std::shared_ptr<const BlockList>& list) {
  const OpenTrace& trace = desk.chosen();
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
  const auto columns = desk.chosen().columns_at_hand(warp, now, columns_wide);
  const std::uint64_t highest = bytes_in_view(desk);
  const auto smallest =
      static_cast<std::uint64_t>(kMinBlockPixels * static_cast<double>(highest) / place.height);
  const BlockStack& stack = this->stack({list, borders_of(warp, now, columns_wide), smallest});
  const auto hill = this->hill(desk, *list, stack, columns, columns_wide);
  toolbar(desk, *list, stack, hill.has_value());
  // What is pointed at shows its way, where nothing is pinned.
  if (!desk.state.block && hovered_) {
    desk.chosen().ask_story(*hovered_);
  }
  const auto of_interest = desk.state.block ? desk.state.block : hovered_;
  const auto story = of_interest ? trace.story() : nullptr;
  const auto column_of = [&](std::uint64_t ns) {
    return now.share_of(warp.x_of(ns)) * place.width;
  };
  constexpr std::size_t kMaxArrows = 8;
  picture::Scene scene;
  draw_blocks(scene,
              {.list = list.get(),
               .stack = &stack,
               .columns = &columns,
               .highest = highest,
               .hill = hill ? &*hill : nullptr,
               .name = [&](const LongBlock& block) { return name(desk, block); },
               .hovered = hovered_,
               .pinned = desk.state.block,
               .arrows = story && story->block.allocation == of_interest
                             ? arrows_of(*story, kMaxArrows, column_of)
                             : std::vector<BlockArrow>(),
               .lit = lights_stack_ && desk.state.block && story ? std::optional(story->block.stack)
                                                                 : std::nullopt},
              place, desk.look);
  show_pane_scene(
      desk, "blocks", scene,
      {all.x, all.y + top - desk.look.px(4), all.width, all.height - top + desk.look.px(4)});
  take_pointer(desk, *list, stack, place);
}

void BlocksPane::take_pointer(const Desk& desk,
                              const BlockList& list,
                              const BlockStack& stack,
                              const picture::Box& place) {
  hovered_.reset();
  const picture::Point at = pointer();
  if (!ImGui::IsItemHovered() || at.x < place.x || at.x >= place.right()) {
    return;
  }
  const bool is_clicked = ImGui::IsItemClicked();
  const double share = (place.bottom() - at.y) / place.height;
  const auto bytes =
      static_cast<std::uint64_t>(std::max(share, 0.0) * static_cast<double>(bytes_in_view(desk)));
  const auto shape = shape_at(stack, static_cast<std::size_t>(at.x - place.x), bytes);
  if (shape) {
    const BlockShape& pointed_at = stack.shapes[*shape];
    hovered_ = list.blocks[pointed_at.block].allocation;
    tell(desk, list, pointed_at);
  }
  if (is_clicked) {
    // What is pinned goes by a click on it, or beside all blocks.
    desk.state.block = hovered_ == desk.state.block ? std::nullopt : hovered_;
  }
}

std::optional<StackAt> BlocksPane::show_details(const Desk& desk) {
  know(desk);
  if (!desk.state.block) {
    return std::nullopt;
  }
  desk.chosen().ask_story(*desk.state.block);
  const auto story = desk.chosen().story();
  if (!story) {
    ImGui::TextDisabled("following the block ...");
    return std::nullopt;
  }
  if (story != told_) {
    told_ = story;
    details_ = block_details(*story, desk.chosen().definitions(), *contents_,
                             desk.chosen().subject().duration_ns);
  }
  auto wanted = buttons(desk, *story);
  words(desk);
  return wanted;
}

void BlocksPane::words(const Desk& desk) const {
  ImGui::PushTextWrapPos(0);
  ImGui::PushFont(desk.fonts.title());
  ImGui::TextUnformatted(details_.title.c_str());
  ImGui::PopFont();
  ImGui::TextUnformatted((details_.size + ", " + details_.life).c_str());
  if (!details_.thread.empty()) {
    ImGui::TextUnformatted(("asked for by " + details_.thread).c_str());
  }
  const auto section = [](const char* title, const std::vector<std::string>& lines) {
    constexpr std::size_t kMaxLines = 200;
    if (lines.empty()) {
      return;
    }
    ImGui::Spacing();
    ImGui::TextDisabled("%s", title);
    for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
      ImGui::TextUnformatted(lines[i].c_str());
    }
    if (lines.size() > kMaxLines) {
      ImGui::TextDisabled("%s more", analyzer::format_count(lines.size() - kMaxLines).c_str());
    }
  };
  section("came into it", details_.came);
  section("went out of it", details_.went);
  ImGui::Spacing();
  ImGui::TextDisabled("stack");
  for (std::size_t i = 0; i < details_.frames.size(); ++i) {
    const std::string line = analyzer::short_name(details_.frames[i]);
    // Below the function that asked there are only allocators.
    i < details_.asking ? ImGui::TextDisabled("%s", line.c_str())
                        : ImGui::TextUnformatted(line.c_str());
    if (ImGui::IsItemHovered()) {
      tell_source(desk, details_.frames[i].file, details_.frames[i].line, "");
    }
    const std::string place = place_text(details_.frames[i]);
    const float beside = ImGui::CalcTextSize((line + "   " + place).c_str()).x;
    if (!place.empty() && beside < ImGui::GetContentRegionAvail().x) {
      ImGui::SameLine();
      ImGui::TextDisabled("%s", place.c_str());
    }
  }
  section("in it", details_.tensors);
  ImGui::PopTextWrapPos();
}

std::optional<StackAt> BlocksPane::buttons(const Desk& desk, const BlockStory& story) {
  std::optional<StackAt> wanted;
  toggle("all of this stack", lights_stack_);
  const Unticked one = unticked_block(
      desk.state.side, story.block.allocation,
      fmt::format("the block of {}: {}", analyzer::format_size(story.block.bytes), details_.title),
      story.block.bytes);
  if (switch_button("without it", is_unticked(desk.state.unticked, one))) {
    gui::toggle(desk.state.unticked, one);
  }
  if (ImGui::Button("show in flame graph")) {
    const std::uint64_t peak_ns = desk.chosen().subject().peak_at.at_ns;
    const LongBlock& block = story.block;
    const bool is_at_peak = block.begin_ns <= peak_ns && peak_ns < block.end_ns;
    wanted = {is_at_peak ? peak_ns : block.begin_ns, details_.frames};
  }
  ImGui::SameLine(0, 2);
  if (ImGui::Button("copy")) {
    ImGui::SetClipboardText(details_text(details_).c_str());
  }
  ImGui::SameLine(0, 2);
  if (ImGui::Button("close")) {
    desk.state.block.reset();
  }
  return wanted;
}

/// None unless the timeline is layered by who asked, and its layers are known; nor where they are
/// those of what is left.
std::optional<Hill> BlocksPane::hill(const Desk& desk,
                                     const BlockList& list,
                                     const BlockStack& stack,
                                     const std::vector<picture::StackedColumn>& columns,
                                     std::size_t columns_wide) {
  const auto by = desk.state.by;
  const bool is_by_asker =
      by == analyzer::LayerGrouping::kFunction || by == analyzer::LayerGrouping::kModule;
  const auto known = desk.session.layers(by);
  const bool is_whole = !desk.session.has_removal(desk.state.side);
  BlockLayers* const of_blocks = is_by_asker && is_whole ? layers(desk) : nullptr;
  if (of_blocks == nullptr) {
    return std::nullopt;
  }
  std::vector<std::vector<picture::StackedColumn>> all(desk.session.size());
  all[desk.state.side] = columns;
  const auto bands = desk.session.bands(by, all, desk.glide.now(), desk.glide.goal(), columns_wide,
                                        desk.look.theme)[desk.state.side];
  if (bands.size() != known->size()) {
    return std::nullopt;
  }
  return hill_of(bands, *known, stack, columns,
                 [&](std::size_t block) { return of_blocks->of(list.blocks[block]).value_or(0); });
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
  choice("as above", BlockColour::kLayer, desk.state.block_colour);
  choice("function", BlockColour::kStack, desk.state.block_colour);
  choice("file", BlockColour::kFile, desk.state.block_colour);
  choice("thread", BlockColour::kThread, desk.state.block_colour);
  choice("size", BlockColour::kSize, desk.state.block_colour);
  ImGui::NewLine();
}

const BlocksPane::AskedBy& BlocksPane::asked_by(const Desk& desk, trace::StackId stack) {
  const auto [entry, is_new] = names_.try_emplace(trace::index(stack));
  AskedBy& asked_by = entry->second;
  if (is_new) {
    const auto frame = analyzer::asking_of(desk.chosen().definitions(), stack);
    asked_by.function = frame ? analyzer::short_name(*frame) : "(no stack)";
    asked_by.file = !frame ? "" : frame->file.empty() ? frame->module : frame->file;
  }
  return asked_by;
}

BlockName BlocksPane::name(const Desk& desk, const LongBlock& block) {
  const AskedBy& asked = asked_by(desk, block.stack);
  return {asked.function, content_of(desk, block), colour_of_block(desk, asked, block)};
}

const std::string& BlocksPane::content_of(const Desk& desk, const LongBlock& block) {
  const auto [entry, is_new] = content_texts_.try_emplace(block.allocation);
  if (is_new && contents_->knows(block.allocation)) {
    entry->second = analyzer::content_text(desk.chosen().definitions(),
                                           contents_->parts_of(block.allocation, block.bytes));
  }
  return entry->second;
}

picture::Colour BlocksPane::colour_of_block(const Desk& desk,
                                            const AskedBy& asked_by,
                                            const LongBlock& block) {
  const auto numbered = [&](std::uint64_t number) { return colour_of(number, desk.look.dark); };
  switch (desk.state.block_colour) {
    case BlockColour::kFile:
      return numbered(number_of(asked_by.file));
    case BlockColour::kThread:
      return numbered(trace::index(block.thread));
    case BlockColour::kSize:
      return numbered(static_cast<std::uint64_t>(std::bit_width(block.bytes)));
    case BlockColour::kStack:
      return numbered(number_of(asked_by.function));
    case BlockColour::kLayer:
      break;
  }
  // Neighbours of one layer differ a little, or a load would be one area.
  constexpr std::array kShades{1.0, 0.86, 0.93};
  const auto shade = [&](const picture::Colour& colour) {
    return picture::mixed(colour, desk.look.theme.background,
                          kShades.at(block.allocation % kShades.size()));
  };
  if (desk.state.by == analyzer::LayerGrouping::kLane) {
    return shade(desk.look.theme.lane(block.lane));
  }
  BlockLayers* const of_blocks = layers(desk);
  const auto layer = of_blocks == nullptr ? std::nullopt : of_blocks->of(block);
  return shade(
      layer ? picture::layer_colours(*desk.session.layers(desk.state.by), desk.look.theme)[*layer]
            : numbered(number_of(asked_by.function)));
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
    tell_tensors(desk, contents_->parts_of(block.allocation, block.bytes));
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
