#include "gui/app/panes/difference_pane.hpp"

#include "analyzer/diff/main_change.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"
#include "gui/view/basics/in_background.hpp"
#include "gui/view/basics/waste_bin.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <utility>

namespace tidemark::gui {
namespace {

std::string text_of(const std::vector<ComparisonRow>& rows) {
  std::string text = "before\tafter\tchange\tfunction\tplace\n";
  for (const ComparisonRow& row : rows) {
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\n", row.before_bytes,
                   row.after_bytes, row.change(), row.name(), row.place());
  }
  return text;
}

/// Which finding of one peak alone explains the other: of the peaks, whatever instants are chosen.
void show_explained_change(const Desk& desk) {
  const TraceFacts* const before = desk.session.trace(0).facts();
  const TraceFacts* const after = desk.session.trace(1).facts();
  const std::string text = before == nullptr || after == nullptr
                               ? std::string()
                               : analyzer::explained_change_of(before->report, after->report);
  if (!text.empty()) {
    ImGui::TextWrapped("%s", in_lines(text, ImGui::GetContentRegionAvail().x).c_str());
  }
}

void size_cell(std::uint64_t bytes) {
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(bytes == 0 ? "-" : analyzer::format_size(bytes).c_str());
}

}  // namespace

void DifferencePane::show(const Desk& desk) {
  for (std::size_t side = 0; side < 2; ++side) {
    desk.session.trace(side).ask_holders(desk.session.moment(side, desk.state));
  }
  const auto before = desk.session.trace(0).holders();
  const auto after = desk.session.trace(1).holders();
  if (!before || !after) {
    show_waiting(desk.session.trace(before ? 1 : 0), Question::kHolders,
                 "counting who holds the memory ...");
    return;
  }
  compare_in_background(before, after, desk.state.folds_recursion);
  Toolbar bar(desk);
  bar.text(fmt::format(
      "before: {} at {}    after: {} at {}    {}",
      analyzer::format_size(before->stacks.total.bytes), analyzer::format_time(before->at_ns),
      analyzer::format_size(after->stacks.total.bytes), analyzer::format_time(after->at_ns),
      coming_.valid() ? "comparing ..." : ""));
  if (compared_->changed < compared_->rows.size()) {
    bar.button(
        "unchanged", shows_unchanged_, [&] { shows_unchanged_ = !shows_unchanged_; },
        "stacks that hold the same in both, below those that changed");
  }
  bar.button("copy", [&] { ImGui::SetClipboardText(text_of(compared_->rows).c_str()); });
  bar.show();
  show_explained_change(desk);
  const float width = ImGui::GetContentRegionAvail().x;
  // In a small window the table needs a larger share: cut names are useless.
  const float share = width < static_cast<float>(desk.look.px(1100)) ? 0.34F : 0.45F;
  ImGui::BeginChild("flame", {width * share, 0});
  graph(desk);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("rows");
  table(desk);
  ImGui::EndChild();
}

void DifferencePane::graph(const Desk& desk) {
  Toolbar bar(desk);
  bar.choice("top-down", true, desk.state.flame_from_callers);
  bar.choice("bottom-up", false, desk.state.flame_from_callers);
  bar.apart();
  bar.button(
      "fold recursion", desk.state.folds_recursion,
      [&] { desk.state.folds_recursion = !desk.state.folds_recursion; },
      "a function that calls itself, again and again, as one");
  bar.show();
  const bool is_from_callers = desk.state.flame_from_callers;
  const auto& difference = is_from_callers ? compared_->from_callers : compared_->from_askers;
  const auto& folded =
      is_from_callers ? compared_->folded_from_callers : compared_->folded_from_askers;
  const bool is_folded = desk.state.folds_recursion && folded;
  const CallTree& tree = is_folded ? folded->folded.tree : difference.tree;
  const auto& all_sides = is_folded ? folded->sides : difference.sides;
  if (std::exchange(shown_tree_, &tree) != &tree) {
    flame_.reset();  // Nodes have other numbers.
  }
  if (tree.nodes.empty()) {
    return;
  }
  const auto pointed_at = flame_.show(desk, {.tree = &tree,
                                             .wanted = {},
                                             .hovered = {},
                                             .sides = &all_sides,
                                             .times = is_folded ? &folded->folded.times : nullptr});
  if (pointed_at) {
    const TreeNode& node = tree.nodes[*pointed_at];
    const Sides& sides = all_sides[*pointed_at];
    ImGui::SetTooltip("%s\n%s\nbefore %s, after %s",
                      node.full().empty() ? node.name().c_str() : node.full().c_str(),
                      node.place().c_str(), analyzer::format_size(sides.before).c_str(),
                      analyzer::format_size(sides.after).c_str());
  }
}

void DifferencePane::compare_in_background(const std::shared_ptr<const Holders>& before,
                                           const std::shared_ptr<const Holders>& after,
                                           bool folds) {
  if (coming_.valid() && coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    try {
      going_ = free_aside(std::exchange(compared_, coming_.get()));
    } catch (const std::bad_alloc&) {
      // Nothing is shown; the rest of the window goes on.
      compared_ = std::make_unique<const Compared>();
    }
    flame_.reset();
  }
  if (!coming_.valid() && (before != before_ || after != after_ || (folds && !folds_))) {
    before_ = before;
    after_ = after;
    folds_ = folds;
    coming_ = in_background([before, after, folds, wake = wake_] {
      auto made = std::make_unique<Compared>();
      Compared& compared = *made;
      compared.rows = compare(before->stacks, after->stacks);
      for (const ComparisonRow& row : compared.rows) {
        compared.changed += row.change() == 0 ? 0U : 1U;
        compared.unchanged_bytes += row.change() == 0 ? row.before_bytes : 0;
      }
      compared.from_callers = difference_tree(compared.rows, TreeOrder::kTopDown);
      compared.from_askers = difference_tree(compared.rows, TreeOrder::kBottomUp);
      if (folds) {
        compared.folded_from_callers = fold_recursion(compared.from_callers);
        compared.folded_from_askers = fold_recursion(compared.from_askers);
      }
      wake();
      return std::unique_ptr<const Compared>(std::move(made));
    });
  }
}

void DifferencePane::table(const Desk& desk) {
  if (!ImGui::BeginTable("difference", 5,
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                             ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable)) {
    return;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* const name : {"change", "before", "after"}) {
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed,
                            static_cast<float>(desk.look.px(78)));
  }
  ImGui::TableSetupColumn("function", ImGuiTableColumnFlags_WidthStretch, 3);
  ImGui::TableSetupColumn("where", ImGuiTableColumnFlags_WidthStretch, 2);
  ImGui::TableHeadersRow();
  const auto& rows = compared_->rows;
  const std::size_t changed = compared_->changed;
  // Unchanged stacks share one row until it is clicked.
  const std::size_t shown = shows_unchanged_ ? rows.size() : changed;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown + (changed < rows.size() ? 1 : 0)));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ImGui::TableNextRow();
      if (at == changed) {
        unchanged_row(desk);
      } else {
        row(desk, rows[at < changed ? at : at - 1]);
      }
    }
  }
  ImGui::EndTable();
}

void DifferencePane::row(const Desk& desk, const ComparisonRow& row) {
  ImGui::TableNextColumn();
  const picture::Theme& theme = desk.look.theme;
  const picture::Colour& colour = row.change() > 0   ? theme.more
                                  : row.change() < 0 ? theme.less
                                                     : theme.soft;
  ImGui::PushStyleColor(ImGuiCol_Text, packed(picture::as_text(colour, theme)));
  ImGui::TextUnformatted(row.change() == 0 ? "0 B"
                                           : analyzer::format_signed_size(row.change()).c_str());
  ImGui::PopStyleColor();
  size_cell(row.before_bytes);
  size_cell(row.after_bytes);
  ImGui::TableNextColumn();
  const std::string name = row.name();
  const bool fits = ImGui::CalcTextSize(name.c_str()).x <= ImGui::GetContentRegionAvail().x;
  ImGui::TextUnformatted((fits ? name : last_parts(name)).c_str());
  if (ImGui::IsItemHovered()) {
    ImGui::BeginTooltip();
    for (const ShownFrame& frame : row.frames) {
      ImGui::TextUnformatted(frame.name.c_str());
      ImGui::SameLine();
      ImGui::TextDisabled("%s", frame.place.c_str());
    }
    ImGui::EndTooltip();
  }
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", row.place().c_str());
}

/// All rows behind those that changed.
void DifferencePane::unchanged_row(const Desk& desk) {
  const std::size_t count = compared_->rows.size() - compared_->changed;
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, packed(desk.look.theme.soft));
  ImGui::TextUnformatted("0 B");
  ImGui::PopStyleColor();
  size_cell(compared_->unchanged_bytes);
  size_cell(compared_->unchanged_bytes);
  ImGui::TableNextColumn();
  ImGui::SetNextItemOpen(shows_unchanged_);
  shows_unchanged_ = ImGui::TreeNodeEx(
      "unchanged", ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanFullWidth, "%s %s",
      analyzer::format_count(count).c_str(),
      count == 1 ? "stack did not change" : "stacks did not change");
  ImGui::TableNextColumn();
}

}  // namespace tidemark::gui
