#include "gui/app/panes/holders_table.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::gui {
namespace {

constexpr std::array<const char*, kTreeOrders> kOrderNames{"top-down", "bottom-up", "by module",
                                                           "by file"};

/// Right-aligned in its column.
void right_text(const std::string& text) {
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x -
                       ImGui::CalcTextSize(text.c_str()).x);
  ImGui::TextUnformatted(text.c_str());
}

}  // namespace

void HoldersTable::reset() {
  open_.clear();
  has_rows_ = false;
  unticked_.clear();
  unticked_nodes_.clear();
  selected_.reset();
}

void HoldersTable::select(TreeOrder order,
                          const ShownTrees& trees,
                          const std::vector<analyzer::NamedFrame>& stack) {
  const auto path = trees.path_of(order, stack);
  open_ = {path.begin(), path.end()};
  has_rows_ = false;
  selected_.reset();
  if (!path.empty()) {
    const bool begins_with_group = order != TreeOrder::kBottomUp && path.size() > 1;
    selected_ = order == TreeOrder::kTopDown ? path.back() : path[begins_with_group ? 1 : 0];
    must_scroll_ = true;
  }
}

void HoldersTable::show(const Desk& desk, const ShownTrees& trees, Measure measure) {
  switches(desk, trees, measure);
  const int columns_shown = desk.chosen().subject().model_bytes > 0 ? 5 : 4;
  if (!ImGui::BeginTable("holders", columns_shown,
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                             ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable)) {
    return;
  }
  columns(desk, trees, measure);
  know_rows(desk, trees, measure);
  know_unticked(desk, trees);
  scroll_to_selected();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows_.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      row(desk, trees, measure, rows_[static_cast<std::size_t>(i)]);
    }
  }
  ImGui::EndTable();
}

/// When the rows change, shows them from the first one.
void HoldersTable::know_rows(const Desk& desk, const ShownTrees& trees, Measure measure) {
  if (measure_ != measure) {
    ImGui::SetScrollY(0);
  }
  if (!has_rows_ || wanted_ != desk.state.wanted || measure_ != measure) {
    rows_ = tree_rows(trees.tree(desk.state.order), measure, open_, desk.state.wanted);
    measure_ = measure;
    wanted_ = desk.state.wanted;
    has_rows_ = true;
  }
}

/// Computed for all rows at once: for one row it would take as long.
void HoldersTable::know_unticked(const Desk& desk, const ShownTrees& trees) {
  if (unticked_ == desk.state.unticked) {
    return;
  }
  unticked_ = desk.state.unticked;
  unticked_nodes_.clear();
  for (const Unticked& one : unticked_) {
    if (one.kind == Unticked::Kind::kStacks && one.side == desk.state.side) {
      const auto nodes =
          nodes_of(trees.tree(desk.state.order), trees.holders()->stacks, one.stacks);
      unticked_nodes_.insert(nodes.begin(), nodes.end());
    }
  }
}

void HoldersTable::switches(const Desk& desk, const ShownTrees& trees, Measure measure) {
  const TreeOrder before = desk.state.order;
  Toolbar bar(desk);
  for (std::size_t order = 0; order < kTreeOrders; ++order) {
    // Bottom-up comes first: it is what most people look for.
    const std::size_t shown = order < 2 ? 1 - order : order;
    bar.choice(kOrderNames.at(shown), static_cast<TreeOrder>(shown), desk.state.order);
  }
  bar.apart();
  bar.button("copy", [&] {
    constexpr std::size_t kMaxLines = 10'000;
    ImGui::SetClipboardText(tree_text(trees.tree(desk.state.order), measure, kMaxLines).c_str());
  });
  bar.show();
  if (before != desk.state.order) {
    // Each order is another tree with other nodes.
    reset();
  }
}

void HoldersTable::columns(const Desk& desk, const ShownTrees& trees, Measure measure) {
  ImGui::TableSetupScrollFreeze(0, 1);
  const auto fixed = [&](const char* name, double width) {
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed,
                            static_cast<float>(desk.look.px(width)));
  };
  fixed(trees.holders()->moment.is_range() ? measure_text(measure) : "bytes", 78);
  if (desk.chosen().subject().model_bytes > 0) {
    fixed("× W", 40);
  }
  fixed("blocks", 54);
  ImGui::TableSetupColumn("function", ImGuiTableColumnFlags_WidthStretch, 3);
  ImGui::TableSetupColumn("where", ImGuiTableColumnFlags_WidthStretch, 1.6F);
  ImGui::TableHeadersRow();
}

void HoldersTable::scroll_to_selected() {
  if (std::exchange(must_scroll_, false)) {
    const auto found = std::ranges::find(rows_, selected_, &TreeRow::node);
    if (found == rows_.end()) {
      return;
    }
    ImGui::SetScrollY(static_cast<float>(found - rows_.begin()) *
                      ImGui::GetTextLineHeightWithSpacing());
  }
}

/// Takes away what all stacks through the row ever allocated.
void HoldersTable::tick_row(const Desk& desk,
                            const ShownTrees& trees,
                            Measure measure,
                            std::uint32_t node) {
  if (!tick(!unticked_nodes_.contains(node),
            "untick it: without all that these stacks ever allocated")) {
    return;
  }
  const CallTree& tree = trees.tree(desk.state.order);
  const TreeNode& shown = tree.nodes[node];
  toggle(desk.state.unticked,
         unticked_stacks(
             desk.state.side, stacks_through(tree, trees.holders()->stacks, node),
             shown.place().empty() ? shown.name() : shown.name() + " (" + shown.place() + ")",
             measured(shown.weight, measure)));
}

void HoldersTable::row(const Desk& desk,
                       const ShownTrees& trees,
                       Measure measure,
                       const TreeRow& row) {
  const CallTree& tree = trees.tree(desk.state.order);
  const TreeNode& node = tree.nodes[row.node];
  const std::uint64_t bytes = measured(node.weight, measure);
  const std::uint64_t all = std::max<std::uint64_t>(measured(tree.root().weight, measure), 1);
  ImGui::TableNextRow();
  if (selected_ == row.node) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, ImGui::GetColorU32(ImGuiCol_Header));
  }
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width =
      ImGui::GetContentRegionAvail().x * static_cast<float>(bytes) / static_cast<float>(all);
  // A line below the digits, which would be hard to read on a bar.
  const float bottom = at.y + ImGui::GetTextLineHeight() + static_cast<float>(desk.look.px(1));
  const auto own = desk.colours.of(node.name(), node.place());
  ImGui::GetWindowDrawList()->AddRectFilled(
      {at.x, bottom - static_cast<float>(desk.look.px(2.5))}, {at.x + width, bottom},
      packed(own ? *own : colour_of(number_of(node.name()), desk.look.dark)));
  right_text(analyzer::format_size(bytes));
  const std::uint64_t model = desk.chosen().subject().model_bytes;
  if (model > 0) {
    ImGui::TableNextColumn();
    right_text(fmt::format("{:.2f}", static_cast<double>(bytes) / static_cast<double>(model)));
  }
  ImGui::TableNextColumn();
  right_text(analyzer::format_count(measured_blocks(node.weight, measure)));
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(row.node));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                       static_cast<float>(row.depth) * static_cast<float>(desk.look.px(12)));
  tick_row(desk, trees, measure, row.node);
  ImGui::SetNextItemOpen(row.is_open);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetTreeNodeToLabelSpacing();
  const bool fits = ImGui::CalcTextSize(node.name().c_str()).x <= room;
  const auto* const times = trees.times(desk.state.order);
  const std::string name = (fits ? node.name() : last_parts(node.name())) +
                           (times == nullptr ? "" : times_text((*times)[row.node]));
  const bool is_open =
      ImGui::TreeNodeEx("row",
                        ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth |
                            (row.has_children ? ImGuiTreeNodeFlags_None : ImGuiTreeNodeFlags_Leaf),
                        "%s", name.c_str());
  if (row.has_children && is_open != row.is_open) {
    is_open ? static_cast<void>(open_.insert(row.node)) : static_cast<void>(open_.erase(row.node));
    has_rows_ = false;
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
