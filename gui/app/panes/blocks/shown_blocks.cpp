#include "gui/app/panes/blocks/shown_blocks.hpp"

#include "analyzer/stacks/stack_names.hpp"

#include <array>
#include <bit>
#include <utility>

namespace tidemark::gui {
namespace {

/// Neighbours of one colour get slightly different shades, or they would look like one area.
constexpr std::array kShades{1.0, 0.86, 0.93};

}  // namespace

void ShownBlocks::know(const Desk& desk, std::size_t side) {
  OpenTrace& trace = desk.session.trace(side);
  trace.ask_blocks();
  if (std::exchange(trace_, &trace) != &trace) {
    side_ = side;
    names_.clear();
    layers_.reset();
    // A runtime moves its arrays: its heap is said to hold those that it has at the peak.
    contents_.emplace(trace.definitions()).add_parts(trace.subject().peak_at.at_ns);
    content_texts_.clear();
  }
  if (std::exchange(list_, trace.blocks()) != trace.blocks()) {
    choose_shades();
  }
}

/// The first, second, ... block of a stack has the same shade before and after.
void ShownBlocks::choose_shades() {
  shades_.clear();
  std::unordered_map<std::uint32_t, std::size_t> counts;  // By stack.
  for (std::size_t i = 0; list_ && i < list_->blocks.size(); ++i) {
    const LongBlock& block = list_->blocks[i];
    std::size_t& count = counts[trace::index(block.stack)];
    const auto shade = static_cast<std::uint8_t>(count % kShades.size());
    count += shades_.try_emplace(block.allocation, shade).second ? 1U : 0U;
  }
}

const BlockStack& ShownBlocks::stack(std::vector<std::uint64_t> borders,
                                     std::uint64_t smallest,
                                     std::optional<std::uint64_t> alone) {
  Stacked wanted{list_, std::move(borders), smallest, alone};
  if (wanted != stacked_) {
    stack_ = stack_blocks(*wanted.list, wanted.borders, wanted.smallest, wanted.alone);
    stacked_ = std::move(wanted);
  }
  return stack_;
}

BlockLayers* ShownBlocks::layers(const Desk& desk) {
  const auto known = desk.session.layers(desk.state.by);
  if (known == nullptr) {
    return nullptr;
  }
  const bool is_known = layers_ && layers_by_ == desk.state.by && layers_->are(known);
  if (std::exchange(is_dark_, desk.look.dark) != desk.look.dark || !is_known) {
    layer_colours_ = picture::layer_colours(*known, desk.look.theme);
  }
  if (!is_known) {
    layers_by_ = desk.state.by;
    layers_.emplace(desk.session.trace(side_).layered(), side_, desk.state.by, known);
  }
  return &*layers_;
}

std::optional<Hill> ShownBlocks::hill(const Desk& desk,
                                      const std::vector<picture::StackedColumn>& columns,
                                      std::size_t columns_wide) {
  const auto by = desk.state.by;
  const bool is_by_asker =
      by == analyzer::LayerGrouping::kFunction || by == analyzer::LayerGrouping::kModule;
  const auto known = desk.session.layers(by);
  const bool is_whole = !desk.session.has_removal(side_);
  BlockLayers* const of_blocks = is_by_asker && is_whole ? layers(desk) : nullptr;
  if (of_blocks == nullptr) {
    return std::nullopt;
  }
  std::vector<std::vector<picture::StackedColumn>> all(desk.session.size());
  all[side_] = columns;
  const auto bands = desk.session.bands(by, all, desk.glide.now(), desk.glide.goal(), columns_wide,
                                        desk.look.theme)[side_];
  if (bands.size() != known->size()) {
    return std::nullopt;
  }
  return hill_of(bands, *known, stack_, columns, [&](std::size_t block) {
    return of_blocks->of(list_->blocks[block]).value_or(0);
  });
}

const ShownBlocks::AskedBy& ShownBlocks::asked_by(const Desk& desk, trace::StackId stack) {
  const auto [entry, is_new] = names_.try_emplace(trace::index(stack));
  AskedBy& asked_by = entry->second;
  if (is_new) {
    const auto frame = analyzer::asking_of(desk.session.trace(side_).definitions(), stack);
    asked_by.function = frame ? analyzer::lone_name(*frame) : "(no stack)";
    asked_by.file = !frame ? "" : frame->file.empty() ? frame->module : frame->file;
  }
  return asked_by;
}

BlockName ShownBlocks::name(const Desk& desk, const LongBlock& block, const AskedBy* namesake) {
  const AskedBy& asked = asked_by(desk, block.stack);
  return {asked.function, content_of(desk, block),
          colour_of_block(desk, namesake == nullptr ? asked : *namesake, block)};
}

const std::string& ShownBlocks::content_of(const Desk& desk, const LongBlock& block) {
  const auto [entry, is_new] = content_texts_.try_emplace(block.allocation);
  if (is_new && contents_->names_tensors(block.allocation)) {
    entry->second =
        analyzer::content_text(desk.session.trace(side_).definitions(),
                               contents_->held_parts(block.allocation, block.lane, block.bytes));
  }
  return entry->second;
}

picture::Colour ShownBlocks::colour_of_block(const Desk& desk,
                                             const AskedBy& asked,
                                             const LongBlock& block) {
  const auto numbered = [&](std::uint64_t number) { return colour_of(number, desk.look.dark); };
  switch (desk.state.block_colour) {
    case BlockColour::kFile:
      return numbered(number_of(asked.file));
    case BlockColour::kThread:
      return numbered(trace::index(block.thread));
    case BlockColour::kSize:
      return numbered(static_cast<std::uint64_t>(std::bit_width(block.bytes)));
    case BlockColour::kStack:
      return numbered(number_of(asked.function));
    case BlockColour::kLayer:
      break;
  }
  const auto shade = shades_.find(block.allocation);
  return picture::mixed(layer_colour(desk, asked, block), desk.look.theme.background,
                        kShades.at(shade == shades_.end() ? 0 : shade->second));
}

picture::Colour ShownBlocks::layer_colour(const Desk& desk,
                                          const AskedBy& asked,
                                          const LongBlock& block) {
  if (desk.state.by == analyzer::LayerGrouping::kLane) {
    return desk.look.theme.lane(block.lane);
  }
  BlockLayers* const of_blocks = layers(desk);
  const auto layer = of_blocks == nullptr ? std::nullopt : of_blocks->of(block);
  return layer ? layer_colours_[*layer] : colour_of(number_of(asked.function), desk.look.dark);
}

}  // namespace tidemark::gui
