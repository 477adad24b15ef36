#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/holders_pane.hpp"
#include "gui/app/panes/widgets.hpp"
#include "gui/view/trees/tree_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::gui {
namespace {

constexpr std::array<const char*, kTreeOrders> kOrderNames{"top-down", "bottom-up", "by module",
                                                           "by file"};

}  // namespace

void HoldersPane::table(const Desk& desk, const Holders& holders) {
  const TreeOrder before = desk.state.order;
  for (std::size_t order = 0; order < kTreeOrders; ++order) {
    // Bottom-up comes first: it is what most people look for.
    const std::size_t shown = order < 2 ? 1 - order : order;
    choice(kOrderNames.at(shown), static_cast<TreeOrder>(shown), desk.state.order);
  }
  if (before != desk.state.order) {
    open_.clear();
    unticked_rows_.clear();
    selected_row_.reset();
  }
  const CallTree& tree = holders.tree(desk.state.order);
  ImGui::SameLine(0, static_cast<float>(desk.look.px(10)));
  if (ImGui::Button("copy")) {
    constexpr std::size_t kMaxLines = 10'000;
    ImGui::SetClipboardText(tree_text(tree, kMaxLines).c_str());
  }
  const bool has_model = desk.chosen().subject().model_bytes > 0;
  const int columns = has_model ? 5 : 4;
  if (!ImGui::BeginTable("holders", columns,
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                             ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable)) {
    return;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  const auto fixed = [&](const char* name, double width) {
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed,
                            static_cast<float>(desk.look.px(width)));
  };
  fixed(holders.moment.is_range() ? "allocated" : "bytes", 78);
  if (has_model) {
    fixed("× W", 40);
  }
  fixed("blocks", 54);
  ImGui::TableSetupColumn("function", ImGuiTableColumnFlags_WidthStretch, 3);
  ImGui::TableSetupColumn("where", ImGuiTableColumnFlags_WidthStretch, 1.6F);
  ImGui::TableHeadersRow();
  const auto rows = tree_rows(tree, open_, desk.state.wanted);
  if (std::exchange(must_scroll_, false)) {
    const auto selected = std::ranges::find(rows, selected_row_, &TreeRow::node);
    ImGui::SetScrollY(static_cast<float>(selected - rows.begin()) *
                      ImGui::GetTextLineHeightWithSpacing());
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      row(desk, holders, rows[static_cast<std::size_t>(i)]);
    }
  }
  ImGui::EndTable();
}

/// All stacks through the row: what they ever allocated.
void HoldersPane::tick_row(const Desk& desk, const Holders& holders, std::uint32_t node) {
  const CallTree& tree = holders.tree(desk.state.order);
  const auto [known, is_new] = unticked_rows_.try_emplace(node);
  if (is_new) {
    const TreeNode& shown = tree.nodes[node];
    known->second = unticked_stacks(
        desk.state.side, stacks_through(tree, holders.stacks, node),
        shown.place().empty() ? shown.name() : shown.name() + " (" + shown.place() + ")",
        shown.weight.bytes);
  }
  tick(desk, known->second, "untick it: without all that these stacks ever allocated");
}

void HoldersPane::row(const Desk& desk, const Holders& holders, const TreeRow& row) {
  const CallTree& tree = holders.tree(desk.state.order);
  const TreeNode& node = tree.nodes[row.node];
  const std::uint64_t bytes = measured(node.weight, measure_);
  const std::uint64_t all = std::max<std::uint64_t>(measured(tree.root().weight, measure_), 1);
  ImGui::TableNextRow();
  if (selected_row_ == row.node) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, ImGui::GetColorU32(ImGuiCol_Header));
  }
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width =
      ImGui::GetContentRegionAvail().x * static_cast<float>(bytes) / static_cast<float>(all);
  // A line below the digits: on a bar they would be hard to read.
  const float bottom = at.y + ImGui::GetTextLineHeight() + static_cast<float>(desk.look.px(1));
  const auto own = desk.colours.of(node.name(), node.place());
  ImGui::GetWindowDrawList()->AddRectFilled(
      {at.x, bottom - static_cast<float>(desk.look.px(2.5))}, {at.x + width, bottom},
      packed(own ? *own : colour_of(number_of(node.name()), desk.look.dark)));
  const std::string size = analyzer::format_size(bytes);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x -
                       ImGui::CalcTextSize(size.c_str()).x);
  ImGui::TextUnformatted(size.c_str());
  const std::uint64_t model = desk.chosen().subject().model_bytes;
  if (model > 0) {
    ImGui::TableNextColumn();
    ImGui::Text("%.2f", static_cast<double>(bytes) / static_cast<double>(model));
  }
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(analyzer::format_count(node.weight.blocks).c_str());
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(row.node));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                       static_cast<float>(row.depth) * static_cast<float>(desk.look.px(12)));
  tick_row(desk, holders, row.node);
  ImGui::SetNextItemOpen(row.is_open);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetTreeNodeToLabelSpacing();
  const bool fits = ImGui::CalcTextSize(node.name().c_str()).x <= room;
  const std::string name = fits ? node.name() : last_parts(node.name());
  const bool is_open =
      ImGui::TreeNodeEx("row",
                        ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanFullWidth |
                            (row.has_children ? ImGuiTreeNodeFlags_None : ImGuiTreeNodeFlags_Leaf),
                        "%s", name.c_str());
  if (row.has_children && is_open != row.is_open) {
    is_open ? static_cast<void>(open_.insert(row.node)) : static_cast<void>(open_.erase(row.node));
  }
  if (ImGui::IsItemHovered()) {
    tell_source(desk, node.label->file, node.label->line,
                node.full() == node.name() ? "" : node.full());
  }
  ImGui::PopID();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", node.place().c_str());
}

}  // namespace tidemark::gui
