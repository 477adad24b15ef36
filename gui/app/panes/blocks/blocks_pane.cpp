#include "gui/app/panes/blocks/blocks_pane.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/blocks/block_tooltip.hpp"
#include "gui/app/panes/time_wheel.hpp"
#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"
#include "gui/view/basics/in_background.hpp"
#include "gui/view/timeline/timeline_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace tidemark::gui {
namespace {

constexpr std::array kRoles{"before", "after"};

bool shows_both(const Desk& desk) {
  return desk.session.size() > 1 && desk.state.both_blocks;
}

/// The bytes at the upper edge of every panel, zoomed as the timeline is.
std::uint64_t bytes_in_view(const Desk& desk) {
  std::uint64_t peak = desk.chosen().subject().peak_bytes;
  for (std::size_t side = 0; shows_both(desk) && side < desk.session.size(); ++side) {
    peak = std::max(peak, desk.session.trace(side).subject().peak_bytes);
  }
  return std::max<std::uint64_t>(
      static_cast<std::uint64_t>(static_cast<double>(peak) * desk.state.height), 1);
}

/// The pinned block, if it is of this trace.
std::optional<std::uint64_t> pinned_on(const Desk& desk, std::size_t side) {
  return side == desk.state.side ? desk.state.block : std::nullopt;
}

}  // namespace

void BlocksPane::show(const Desk& desk) {
  know(desk);
  pair_in_background(desk);
  const auto room_below = [&](const picture::Box& rest, double bar) {
    const double top = bar + desk.look.px(4);
    return on_time_axis({rest.x, rest.y + top, rest.width,
                         std::max(rest.height - top - desk.look.type.small / 2, 1.0)},
                        desk.look);
  };
  // The height assumes a one-row toolbar: which blocks are shown must not depend on the rows that
  // the toolbar needs to say so.
  auto panels = this->panels(
      desk, room_below(rest_of_window(), static_cast<double>(ImGui::GetFrameHeightWithSpacing())));
  if (panels.empty()) {
    const std::size_t first = shows_both(desk) ? 0 : desk.state.side;
    const std::size_t missing = shown_.at(first).list() ? 1 : first;
    show_waiting(desk.session.trace(missing), Question::kBlocks, "following the blocks ...");
    return;
  }
  toolbar(desk, panels.size() == 1 ? text_of(panels.front()) : "");
  const picture::Box all = rest_of_window();
  put_into(desk, panels, room_below(all, 0));
  // If nothing is pinned, shows where the bytes of the block pointed at came from and went.
  if (!desk.state.block && hovered_) {
    desk.session.trace(hovered_->side).ask_story(hovered_->allocation);
  }
  picture::Scene scene;
  for (const Panel& panel : panels) {
    label(scene, desk, panel);
    draw(scene, desk, panel);
  }
  show_pane_scene(desk, "blocks", scene, all);
  take_pointer(desk, panels);
}

void BlocksPane::know(const Desk& desk) {
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    if (shows_both(desk) || side == desk.state.side) {
      shown_.at(side).know(desk, side);
    }
  }
  const bool is_block_new = std::exchange(known_block_, desk.state.block) != desk.state.block;
  const OpenTrace* const chosen = &desk.chosen();
  // In another trace, the number would be another block.
  if (known_for_ != nullptr && known_for_ != chosen && !is_block_new) {
    desk.state.block = known_block_ = std::nullopt;
    layer_.let_go();
  }
  if (desk.state.block) {
    layer_.let_go();
  }
  known_for_ = chosen;
}

/// Stacks are named on this thread, which has the traces; the slow pairing runs in the background.
void BlocksPane::pair_in_background(const Desk& desk) {
  if (coming_.valid() && coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    try {
      partners_ = coming_.get();
    } catch (const std::bad_alloc&) {
      partners_ = {};
    }
    found_partners_ = {};
  }
  const std::array now{shown_[0].list(), shown_[1].list()};
  if (!shows_both(desk) || coming_.valid() || !now[0] || !now[1] || now == paired_) {
    return;
  }
  paired_ = now;
  found_partners_ = {};
  coming_ =
      in_background([wake = wake_, before = stacks_of(*now[0], desk.session.trace(0).definitions()),
                     after = stacks_of(*now[1], desk.session.trace(1).definitions())] {
        BlockPartners found(before, after);
        wake();
        return found;
      });
}

/// Places the panels one below the other, with equal heights.
void BlocksPane::put_into(const Desk& desk, std::vector<Panel>& panels, const picture::Box& place) {
  const bool both = panels.size() > 1;
  const double label = both ? std::round(desk.look.type.text * 2) : 0;
  const double height = both ? std::floor(place.height / 2) : place.height;
  double y = place.y;
  for (Panel& panel : panels) {
    panel.label = {place.x, y, place.width, label};
    panel.plot = {place.x, y + label, place.width, std::max(height - label, 1.0)};
    y += height;
  }
}

/// Empty until everything needed is known.
std::vector<BlocksPane::Panel> BlocksPane::panels(const Desk& desk, const picture::Box& place) {
  const bool both = shows_both(desk);
  const auto columns_wide = static_cast<std::size_t>(place.width);
  const ViewRange& now = desk.glide.now();
  std::vector<Panel> panels(both ? desk.session.size() : 1);
  put_into(desk, panels, place);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    Panel& panel = panels[i];
    panel.side = both ? i : desk.state.side;
    ShownBlocks& shown = shown_.at(panel.side);
    if (!shown.list()) {
      return {};
    }
    const auto smallest = static_cast<std::uint64_t>(
        kMinBlockPixels * static_cast<double>(bytes_in_view(desk)) / panel.plot.height);
    const picture::Warp& warp = desk.session.axis().warps[panel.side];
    panel.columns = desk.session.trace(panel.side).columns_at_hand(warp, now, columns_wide);
    panel.borders = borders_of(warp, now, columns_wide);
    panel.stack = &shown.stack(panel.borders, smallest, pinned_on(desk, panel.side));
    panel.hill = shown.hill(desk, panel.columns, columns_wide);
  }
  return panels;
}

std::string BlocksPane::text_of(const Panel& panel) const {
  std::size_t count = 0;
  for (const BlockShape& shape : panel.stack->shapes) {
    count += shape.count;
  }
  const BlockList& list = *shown_.at(panel.side).list();
  std::string smaller = analyzer::format_count(panel.stack->folded) + " smaller ones";
  if (list.others > 0) {
    smaller += ", and all up to " + analyzer::format_size(list.smallest) + ",";
  }
  const std::string drawn = count == 0 ? "no block in view is large enough to be drawn by itself"
                                       : fmt::format("{} {} in view", analyzer::format_count(count),
                                                     count == 1 ? "block" : "blocks");
  const std::string place = count == 0 ? "" : " above";
  return drawn + "; " + smaller +
         (panel.hill ? " lie" + place + " in the timeline's colours"
                     : " are the grey band" + place);
}

void BlocksPane::label(picture::Scene& scene, const Desk& desk, const Panel& panel) const {
  if (panel.label.height == 0) {
    return;
  }
  picture::Pen pen(scene, desk.look.measure);
  const picture::TextLook role{desk.look.type.text, desk.look.theme.ink, true};
  const picture::TextLook rest{desk.look.type.small, desk.look.theme.soft};
  const std::string name = kRoles.at(panel.side);
  const double baseline =
      picture::middle_baseline(panel.label.y + desk.look.px(4), panel.label.bottom(), role.size);
  const double beside = pen.width_of(role, name) + desk.look.px(10);
  pen.text(role, picture::Anchor::kLeft, {panel.label.x, baseline}, name, panel.label.width);
  pen.text(rest, picture::Anchor::kLeft, {panel.label.x + beside, baseline}, text_of(panel),
           std::max(panel.label.width - beside, 1.0));
}

void BlocksPane::draw(picture::Scene& scene, const Desk& desk, const Panel& panel) {
  const auto of_this_side = [&](const std::optional<Block>& block) {
    return block && block->side == panel.side ? std::optional(block->allocation) : std::nullopt;
  };
  draw_blocks(scene,
              {.list = shown_.at(panel.side).list().get(),
               .stack = panel.stack,
               .columns = &panel.columns,
               .highest = bytes_in_view(desk),
               .hill = panel.hill ? &*panel.hill : nullptr,
               .name = [&](const LongBlock& block) { return name(desk, panel.side, block); },
               .hovered = of_this_side(hovered_),
               .pinned = pinned_on(desk, panel.side),
               .arrows = arrows(desk, panel),
               .lit = lit(desk, panel.side)},
              panel.plot, desk.look);
}

std::vector<BlockArrow> BlocksPane::arrows(const Desk& desk, const Panel& panel) const {
  constexpr std::size_t kMaxArrows = 8;
  const bool is_pinned = desk.state.block && panel.side == desk.state.side;
  const bool is_hovered = !desk.state.block && hovered_ && hovered_->side == panel.side;
  const auto of_interest = is_pinned    ? desk.state.block
                           : is_hovered ? std::optional(hovered_->allocation)
                                        : std::nullopt;
  const auto story = of_interest ? desk.session.trace(panel.side).story() : nullptr;
  if (!story || story->block.allocation != *of_interest) {
    return {};
  }
  const picture::Warp& warp = desk.session.axis().warps[panel.side];
  return arrows_of(*story, kMaxArrows, [&](std::uint64_t ns) {
    return desk.glide.now().share_of(warp.x_of(ns)) * panel.plot.width;
  });
}

const LongBlock* BlocksPane::find(const std::optional<Block>& block) const {
  const auto list = block ? shown_.at(block->side).list() : nullptr;
  if (!list) {
    return nullptr;
  }
  const auto found = std::ranges::find(list->blocks, block->allocation, &LongBlock::allocation);
  return found == list->blocks.end() ? nullptr : &*found;
}

/// Tells which blocks of a side stand out; null: none. For the block pointed at, else, if wished,
/// the pinned one: on its own side the blocks of its stack, on the other side its partners.
std::function<bool(const LongBlock&)> BlocksPane::lit(const Desk& desk, std::size_t side) {
  std::optional<Block> cause = hovered_;
  if (!cause && pinned_.lights_stack() && desk.state.block) {
    cause = {desk.state.side, *desk.state.block};
  }
  const LongBlock* const one = find(cause);
  if (one == nullptr) {
    return nullptr;
  }
  if (cause->side == side) {
    return [stack = one->stack](const LongBlock& block) { return block.stack == stack; };
  }
  const auto& partners = partners_of(desk, *cause, *one).allocations;
  if (partners.empty()) {
    return nullptr;
  }
  return [&partners](const LongBlock& block) { return partners.contains(block.allocation); };
}

/// The blocks of the other trace with the same part of the model; if there are none, those that the
/// same stack asked for.
const BlocksPane::Partners& BlocksPane::partners_of(const Desk& desk,
                                                    const Block& block,
                                                    const LongBlock& one) {
  if (found_partners_.of == block) {
    return found_partners_;
  }
  const std::size_t other = 1 - block.side;
  const auto list = shown_.at(other).list();
  const std::string& content = shown_.at(block.side).content_of(desk, one);
  Partners same_content{block, {}, 0};
  Partners same_stack{block, {}, 0};
  const auto add = [](Partners& partners, const LongBlock& added) {
    partners.allocations.insert(added.allocation);
    partners.most = std::max(partners.most, added.bytes);
  };
  for (std::size_t i = 0; list && i < list->blocks.size(); ++i) {
    const LongBlock& theirs = list->blocks[i];
    if (!content.empty() && shown_.at(other).content_of(desk, theirs) == content) {
      add(same_content, theirs);
    }
    if (partners_.are_partners(block.side, one, theirs)) {
      add(same_stack, theirs);
    }
  }
  found_partners_ = std::move(same_content.allocations.empty() ? same_stack : same_content);
  return found_partners_;
}

BlockName BlocksPane::name(const Desk& desk, std::size_t side, const LongBlock& block) {
  const auto partner = side == 1 ? partners_.partner_of(side, block) : std::nullopt;
  return shown_.at(side).name(desk, block,
                              partner ? &shown_.front().asked_by(desk, *partner) : nullptr);
}

/// `after: the same in 3 blocks of up to 240.0 MiB`.
std::string BlocksPane::partner_text(const Desk& desk, const Block& block, const LongBlock& one) {
  const Partners& partners = partners_of(desk, block, one);
  const std::string role = std::string(kRoles.at(1 - block.side)) + ": ";
  const std::string most = analyzer::format_size(partners.most);
  switch (partners.allocations.size()) {
    case 0:
      return coming_.valid() ? "" : role + "no such block";
    case 1:
      return role + "the same in a block of " + most;
    default:
      return role + fmt::format("the same in {} blocks of up to {}",
                                analyzer::format_count(partners.allocations.size()), most);
  }
}

void BlocksPane::take_pointer(const Desk& desk, const std::vector<Panel>& panels) {
  hovered_.reset();
  if (ImGui::IsItemHovered()) {
    take_wheel(desk, panels.front().plot);
  }
  const picture::Point at = pointer();
  const auto panel = std::ranges::find_if(panels, [&](const Panel& one) {
    return at.x >= one.plot.x && at.x < one.plot.right() && at.y >= one.plot.y &&
           at.y < one.plot.bottom();
  });
  if (!ImGui::IsItemHovered() || panel == panels.end()) {
    return;
  }
  const bool is_clicked = ImGui::IsItemClicked();
  // A click makes room for the details, which moves other blocks under the pointer: these are not
  // pointed at until it moves.
  const bool has_moved = clicked_at_ != std::pair(at.x, at.y);
  const double share = (panel->plot.bottom() - at.y) / panel->plot.height;
  const auto bytes =
      static_cast<std::uint64_t>(std::max(share, 0.0) * static_cast<double>(bytes_in_view(desk)));
  const auto column = static_cast<std::size_t>(at.x - panel->plot.x);
  const LongBlock* const block = block_under(*panel, column, bytes);
  const auto under =
      block == nullptr ? std::nullopt : std::optional(Block{panel->side, block->allocation});
  if (has_moved) {
    clicked_at_.reset();
    hovered_ = under;
    if (block == nullptr) {
      tell_small_blocks(desk, *panel, column, bytes);
    } else {
      set_tooltip_beside(desk, panel->plot, at.x);
      tell_block(desk, panel->side, *block,
                 panel->stack->shapes[*shape_at(*panel->stack, column, bytes)],
                 shown_.at(panel->side).contents(),
                 panels.size() > 1 ? partner_text(desk, *under, *block) : "");
    }
  }
  if (is_clicked) {
    clicked_at_ = {at.x, at.y};
    const auto part = under || !panel->hill
                          ? std::nullopt
                          : hill_part_at(*panel->hill, *panel->stack, column, bytes);
    pin_or_let_go(desk, under);
    part ? pin_layer(desk, *panel, column, part->band) : layer_.let_go();
    if (under) {
      pinned_.clicked(under->allocation, panel->stack->instants[column]);
    }
  }
}

/// The block at this place, in a bundle too, as listed with its size there; null if there is none.
const LongBlock* BlocksPane::block_under(const Panel& panel,
                                         std::size_t column,
                                         std::uint64_t bytes) const {
  const auto shape = shape_at(*panel.stack, column, bytes);
  const BlockList& list = *shown_.at(panel.side).list();
  return shape ? &list.blocks[block_at(list, *panel.stack, *shape, column, bytes)] : nullptr;
}

void BlocksPane::tell_small_blocks(const Desk& desk,
                                   const Panel& panel,
                                   std::size_t column,
                                   std::uint64_t bytes) const {
  if (column >= panel.columns.size() || column >= panel.stack->heights.size()) {
    return;
  }
  const auto words = [&](std::uint64_t of_them) {
    return small_blocks_words(of_them, {panel.borders[column], panel.borders[column + 1]},
                              panel.stack->instants[column]);
  };
  if (panel.hill) {
    if (const auto part = hill_part_at(*panel.hill, *panel.stack, column, bytes)) {
      set_tooltip_beside(desk, panel.plot, pointer().x);
      // One question for all layers pointed at: each answer takes a pass over the trace.
      OpenTrace& trace = desk.session.trace(panel.side);
      const auto at_peak = layers_at_peak(desk, panel.side);
      const auto pinned = layer_.question();
      const bool is_of_pinned =
          pinned && pinned->side == panel.side && pinned->layers == at_peak.layers;
      trace.ask_layer_blocks(is_of_pinned ? *pinned : at_peak);
      tell_hill(desk, *panel.hill, part->band, words(part->bytes), trace.layer_blocks().get());
    }
    return;
  }
  const std::uint64_t top = panel.columns[column].highest.footprint();
  const std::uint64_t bottom = panel.stack->heights[column];
  if (bytes >= bottom && bytes < top) {
    set_tooltip_beside(desk, panel.plot, pointer().x);
    const auto lines = words(top - bottom);
    ImGui::SetTooltip("%s\n%s\nthe footprint by function or by module shows whose they are",
                      lines.front().c_str(), lines.back().c_str());
  }
}

/// Pins the layer at the highest footprint of the clicked column, which is what is drawn. Another
/// click unpins it.
void BlocksPane::pin_layer(const Desk& desk,
                           const Panel& panel,
                           std::size_t column,
                           std::size_t layer) {
  LayerBlocksQuestion question = layers_at_peak(desk, panel.side);
  if (layer_.is(question, layer)) {
    layer_.let_go();
    return;
  }
  question.begin_ns = panel.borders[column];
  question.end_ns = panel.borders[column + 1];
  question.footprint = panel.columns[column].highest.footprint();
  desk.state.side = panel.side;
  known_for_ = &desk.chosen();
  layer_.pin(question, layer);
}

/// Clicking the pinned block, or where no block is, unpins it.
void BlocksPane::pin_or_let_go(const Desk& desk, const std::optional<Block>& block) {
  const bool is_pinned =
      block && block->side == desk.state.side && desk.state.block == block->allocation;
  if (!block || is_pinned) {
    desk.state.block = known_block_ = std::nullopt;
  } else {
    pin(desk, block->side, block->allocation);
  }
}

void BlocksPane::pin(const Desk& desk, std::size_t side, std::uint64_t allocation) {
  desk.state.side = side;
  desk.state.block = known_block_ = allocation;
  known_for_ = &desk.chosen();
}

std::optional<StackAt> BlocksPane::show_details(const Desk& desk) {
  know(desk);
  if (!desk.state.block) {
    if (layer_.is_pinned()) {
      layer_.show(desk);
    }
    return std::nullopt;
  }
  return pinned_.show(desk, shown_.at(desk.state.side).contents());
}

void BlocksPane::toolbar(const Desk& desk, const std::string& text) {
  Toolbar bar(desk);
  if (desk.session.size() > 1) {
    bar.choice("both loads", true, desk.state.both_blocks);
    bar.choice(kRoles.at(desk.state.side), false, desk.state.both_blocks);
    bar.apart();
  }
  if (!text.empty()) {
    bar.text(text);
    bar.apart();
  }
  bar.label("colour by");
  bar.choice("as above", BlockColour::kLayer, desk.state.block_colour);
  bar.choice("function", BlockColour::kStack, desk.state.block_colour);
  bar.choice("file", BlockColour::kFile, desk.state.block_colour);
  bar.choice("thread", BlockColour::kThread, desk.state.block_colour);
  bar.choice("size", BlockColour::kSize, desk.state.block_colour);
  bar.show();
}

}  // namespace tidemark::gui
