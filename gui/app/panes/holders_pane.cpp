#include "gui/app/panes/holders_pane.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"
#include "gui/view/session/find_anything.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tidemark::gui {
namespace {

/// The measures of a range, with their tooltips.
constexpr std::array kRangeMeasures{
    std::pair{Measure::kGivenBack, "all that went in the range, whenever it was allocated"},
    std::pair{Measure::kBytes, "all that was allocated in the range"},
    std::pair{Measure::kFreed, "allocated in the range, and gone at its end"},
    std::pair{Measure::kKept, "allocated in the range, and there at its end"}};

/// For a range, the larger part of what changed in it.
Measure first_measure(const Holders& holders) {
  const Weight& total = holders.stacks.total;
  return holders.moment.is_range() && total.given_back > total.bytes ? Measure::kGivenBack
                                                                     : Measure::kBytes;
}

TreeOrder graph_order(const Desk& desk) {
  return desk.state.flame_from_callers ? TreeOrder::kTopDown : TreeOrder::kBottomUp;
}

}  // namespace

std::optional<StackAt> HoldersPane::show(const Desk& desk) {
  OpenTrace& trace = desk.chosen();
  trace.ask_holders(desk.session.moment(desk.state.side, desk.state));
  know_trees(desk);
  const auto holders = shown_.holders();
  if (!holders) {
    show_waiting(trace, Question::kHolders, "counting who holds the memory ...");
    return std::nullopt;
  }
  std::optional<StackAt> elsewhere;
  if (!wanted_.frames.empty() &&
      holders->moment == desk.session.moment(desk.state.side, desk.state)) {
    elsewhere = show_wanted_stack(desk, *holders);
  }
  toolbar(desk, *holders);
  const float width = ImGui::GetContentRegionAvail().x;
  // In a small window the table needs a larger share: cut names are useless.
  const float share = width < static_cast<float>(desk.look.px(1100)) ? 0.42F : 0.52F;
  ImGui::BeginChild("flame", {width * share, 0});
  graph(desk);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("table");
  table_.show(desk, shown_, measure_);
  ImGui::EndChild();
  return elsewhere;
}

void HoldersPane::know_trees(const Desk& desk) {
  TreeOrders folded;
  if (desk.state.folds_recursion) {
    folded.set(static_cast<std::size_t>(graph_order(desk)));
    folded.set(static_cast<std::size_t>(desk.state.order));
  }
  const ShownTrees::Change change = shown_.know(desk.chosen(), folded);
  if (change.is_of_holders) {
    measure_ = shown_.holders() ? first_measure(*shown_.holders()) : Measure::kBytes;
    selected_.clear();
  }
  if (change.is_of_holders || change.orders[static_cast<std::size_t>(graph_order(desk))]) {
    flame_.reset();
  }
  if (change.is_of_holders || change.orders[static_cast<std::size_t>(desk.state.order)]) {
    table_.reset();
    if (!selected_.empty()) {  // It stays so.
      table_.select(desk.state.order, shown_, selected_);
    }
  }
}

/// Outlines the stack in the graph and selects its row in the table.
std::optional<StackAt> HoldersPane::show_wanted_stack(const Desk& desk, const Holders& holders) {
  StackAt wanted = std::exchange(wanted_, {});
  if (wanted.else_at_ns && !has_stack(holders.tree(TreeOrder::kBottomUp), wanted.frames)) {
    return StackAt{.at_ns = *wanted.else_at_ns, .frames = std::move(wanted.frames)};
  }
  selected_ = std::move(wanted.frames);
  desk.state.wanted.clear();
  flame_.reset();
  table_.select(desk.state.order, shown_, selected_);
  return std::nullopt;
}

void HoldersPane::toolbar(const Desk& desk, const Holders& holders) {
  Toolbar bar(desk);
  // What is taken away is missing only from the timeline.
  bar.text(holders_title(holders, desk.session.has_removal(desk.state.side)));
  bar.apart();
  if (holders.moment.is_range()) {
    for (const auto& [measure, help] : kRangeMeasures) {
      bar.choice(measure_text(measure), measure, measure_, help);
    }
    bar.apart();
  }
  bar.field("##search", "search: function or file", desk.look.px(190), desk.state.wanted);
  bar.show();
}

void HoldersPane::graph(const Desk& desk) {
  const TreeOrder before = graph_order(desk);
  Toolbar bar(desk);
  bar.choice("top-down", true, desk.state.flame_from_callers);
  bar.choice("bottom-up", false, desk.state.flame_from_callers);
  bar.apart();
  bar.button(
      "fold recursion", desk.state.folds_recursion,
      [&] { desk.state.folds_recursion = !desk.state.folds_recursion; },
      "a function that calls itself, again and again, as one: in the table, too");
  bar.show();
  const TreeOrder order = graph_order(desk);
  if (before != order) {
    // Each order is another tree with other nodes.
    flame_.reset();
  }
  const CallTree& tree = shown_.tree(order);
  const auto* const times = shown_.times(order);
  const auto path = shown_.path_of(order, selected_);
  std::optional<std::uint32_t> outlined;
  if (!path.empty()) {
    // Bottom-up, a path begins with the asking function.
    outlined = order == TreeOrder::kTopDown ? path.back() : path.front();
  }
  const auto pointed_at = flame_.show(desk,
                                      {.tree = &tree,
                                       .measure = measure_,
                                       .model_bytes = desk.chosen().subject().model_bytes,
                                       .wanted = desk.state.wanted,
                                       .hovered = {},
                                       .times = times,
                                       .colours = &desk.colours},
                                      outlined);
  if (pointed_at) {
    const TreeNode& node = tree.nodes[*pointed_at];
    const std::uint32_t in_a_row = times == nullptr ? 1 : (*times)[*pointed_at];
    const std::string recursion =
        in_a_row == 1 ? ""
                      : fmt::format("\nup to {} calls of itself, one below the other", in_a_row);
    ImGui::SetTooltip(
        "%s\n%s\n%s in %s blocks%s",
        node.full().empty() ? node.name().c_str() : node.full().c_str(), node.place().c_str(),
        analyzer::format_size(measured(node.weight, measure_)).c_str(),
        analyzer::format_count(measured_blocks(node.weight, measure_)).c_str(), recursion.c_str());
  }
}

}  // namespace tidemark::gui
