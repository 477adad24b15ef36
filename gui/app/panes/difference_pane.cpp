#include "gui/app/panes/difference_pane.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"
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
    ImGui::TextDisabled("counting who holds the memory ...");
    return;
  }
  compare_in_background(before, after);
  Toolbar bar(desk);
  bar.text(fmt::format(
      "before: {} at {}    after: {} at {}    {}",
      analyzer::format_size(before->stacks.total.bytes), analyzer::format_time(before->at_ns),
      analyzer::format_size(after->stacks.total.bytes), analyzer::format_time(after->at_ns),
      coming_.valid() ? "comparing ..." : ""));
  bar.button("copy", [&] { ImGui::SetClipboardText(text_of(compared_.rows).c_str()); });
  bar.show();
  const float width = ImGui::GetContentRegionAvail().x;
  // In a small window the table needs more: a name that is cut tells nothing.
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
  const bool was_from_callers = desk.state.flame_from_callers;
  Toolbar bar(desk);
  bar.choice("top-down", true, desk.state.flame_from_callers);
  bar.choice("bottom-up", false, desk.state.flame_from_callers);
  bar.show();
  if (was_from_callers != desk.state.flame_from_callers) {
    flame_.reset();
  }
  const DifferenceTree& difference =
      desk.state.flame_from_callers ? compared_.from_callers : compared_.from_askers;
  const CallTree& tree = difference.tree;
  if (tree.nodes.empty()) {
    return;
  }
  const auto pointed_at =
      flame_.show(desk, {.tree = &tree, .wanted = {}, .hovered = {}, .sides = &difference.sides});
  if (pointed_at) {
    const TreeNode& node = tree.nodes[*pointed_at];
    const Sides& sides = difference.sides[*pointed_at];
    ImGui::SetTooltip("%s\n%s\nbefore %s, after %s",
                      node.full().empty() ? node.name().c_str() : node.full().c_str(),
                      node.place().c_str(), analyzer::format_size(sides.before).c_str(),
                      analyzer::format_size(sides.after).c_str());
  }
}

void DifferencePane::compare_in_background(const std::shared_ptr<const Holders>& before,
                                           const std::shared_ptr<const Holders>& after) {
  if (coming_.valid() && coming_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    try {
      compared_ = coming_.get();
    } catch (const std::bad_alloc&) {
      compared_ = {};  // Nothing is shown; the rest of the window goes on.
    }
    flame_.reset();
  }
  if (!coming_.valid() && (before != before_ || after != after_)) {
    before_ = before;
    after_ = after;
    coming_ = std::async(std::launch::async, [before, after, wake = wake_] {
      Compared compared{compare(before->stacks, after->stacks), {}, {}};
      compared.from_callers = difference_tree(compared.rows, TreeOrder::kTopDown);
      compared.from_askers = difference_tree(compared.rows, TreeOrder::kBottomUp);
      wake();
      return compared;
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
  const auto& rows = compared_.rows;
  const auto changed = static_cast<std::size_t>(
      std::ranges::find_if(rows, [](const auto& row) { return row.change() == 0; }) - rows.begin());
  // Those that did not change are one row, until somebody wants to see them.
  const std::size_t shown = shows_unchanged_ ? rows.size() : changed;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown + (changed < rows.size() ? 1 : 0)));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ImGui::TableNextRow();
      if (at == changed) {
        unchanged_row(desk, changed);
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
  ImGui::TextUnformatted(analyzer::format_signed_size(row.change()).c_str());
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

/// All rows from `first` on.
void DifferencePane::unchanged_row(const Desk& desk, std::size_t first) {
  std::uint64_t bytes = 0;
  for (std::size_t i = first; i < compared_.rows.size(); ++i) {
    bytes += compared_.rows[i].before_bytes;
  }
  const std::size_t count = compared_.rows.size() - first;
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, packed(desk.look.theme.soft));
  ImGui::TextUnformatted("0 B");
  ImGui::PopStyleColor();
  size_cell(bytes);
  size_cell(bytes);
  ImGui::TableNextColumn();
  ImGui::SetNextItemOpen(shows_unchanged_);
  shows_unchanged_ = ImGui::TreeNodeEx(
      "unchanged", ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanFullWidth, "%s %s",
      analyzer::format_count(count).c_str(),
      count == 1 ? "stack did not change" : "stacks did not change");
  ImGui::TableNextColumn();
}

}  // namespace tidemark::gui
