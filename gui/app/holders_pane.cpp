#include "gui/app/holders_pane.hpp"

#include "analyzer/size_text.hpp"
#include "gui/app/widgets.hpp"
#include "gui/view/tree_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <imgui_stdlib.h>

namespace tidemark::gui {
namespace {

constexpr std::array<const char*, kTreeOrders> kOrderNames{"callers first", "who asked",
                                                           "by module", "by file"};

std::string title_of(const Holders& holders) {
  const Weight& total = holders.stacks.total;
  if (holders.moment.is_range()) {
    return fmt::format("from {} to {}: {} allocated, {} of it freed, {} kept",
                       analyzer::format_time(*holders.moment.begin_ns),
                       analyzer::format_time(holders.at_ns), analyzer::format_size(total.bytes),
                       analyzer::format_size(total.freed), analyzer::format_size(total.kept()));
  }
  const std::string when = holders.moment.end_ns ? "at " : "at the peak, ";
  std::string text = fmt::format(
      "alive {}{}: {} in {} blocks", when, analyzer::format_time(holders.at_ns),
      analyzer::format_size(holders.totals.footprint()), analyzer::format_count(total.blocks));
  if (holders.unattributed_bytes != 0) {
    text += fmt::format("; {} without a stack",
                        analyzer::format_signed_size(holders.unattributed_bytes));
  }
  return text;
}

}  // namespace

void HoldersPane::show(const Desk& desk) {
  OpenTrace& trace = desk.chosen();
  trace.ask_holders(desk.session.moment(desk.state.side, desk.state));
  const auto holders = trace.holders();
  if (!holders) {
    ImGui::TextDisabled("counting who holds the memory ...");
    return;
  }
  if (holders != shown_) {
    shown_ = holders;
    focus_ = 0;
    open_.clear();
    measure_ = Measure::kBytes;
    selected_.clear();
    selected_row_.reset();
  }
  if (!wanted_stack_.empty() &&
      holders->moment == desk.session.moment(desk.state.side, desk.state)) {
    show_wanted_stack(desk, *holders);
  }
  toolbar(desk, *holders);
  const float width = ImGui::GetContentRegionAvail().x;
  // In a small window the table needs more: a name that is cut tells nothing.
  const float share = width < static_cast<float>(desk.look.px(1100)) ? 0.42F : 0.52F;
  ImGui::BeginChild("flame", {width * share, 0});
  flame(desk, *holders);
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("table");
  table(desk, *holders);
  ImGui::EndChild();
}

/// Its outline in the graph; in the table the row of the asking function, its callers unfolded.
void HoldersPane::show_wanted_stack(const Desk& desk, const Holders& holders) {
  selected_ = std::exchange(wanted_stack_, {});
  desk.state.wanted.clear();
  focus_ = 0;
  const TreeOrder order = desk.state.order;
  const auto path = path_of(holders.tree(order), order, selected_);
  open_ = {path.begin(), path.end()};
  selected_row_.reset();
  if (!path.empty()) {
    const bool begins_with_group = order != TreeOrder::kBottomUp && path.size() > 1;
    selected_row_ = order == TreeOrder::kTopDown ? path.back() : path[begins_with_group ? 1 : 0];
    must_scroll_ = true;
  }
}

void HoldersPane::toolbar(const Desk& desk, const Holders& holders) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(title_of(holders).c_str());
  const float field = static_cast<float>(desk.look.px(190));
  ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
  if (holders.moment.is_range()) {
    choice("allocated", Measure::kBytes, measure_);
    choice("freed", Measure::kFreed, measure_);
    choice("kept", Measure::kKept, measure_);
    ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
  }
  ImGui::SetNextItemWidth(field);
  ImGui::InputTextWithHint("##search", "search: function or file", &desk.state.wanted);
}

void HoldersPane::flame(const Desk& desk, const Holders& holders) {
  choice("from callers", true, desk.state.flame_from_callers);
  choice("from who asked", false, desk.state.flame_from_callers);
  ImGui::NewLine();
  const TreeOrder order =
      desk.state.flame_from_callers ? TreeOrder::kTopDown : TreeOrder::kBottomUp;
  const CallTree& tree = holders.tree(order);
  focus_ = focus_ < tree.nodes.size() ? focus_ : 0;
  const plot::Box place = rest_of_window();
  plot::Scene scene;
  const auto selected = path_of(tree, order, selected_);
  if (!hovered_ && !selected.empty()) {
    // Seen from who asked, a stack begins with what matters.
    hovered_ = order == TreeOrder::kTopDown ? selected.back() : selected.front();
  }
  const FlameInput input{
      &tree,    focus_,   measure_, desk.chosen().subject().model_bytes, desk.state.wanted,
      hovered_, scrolled_};
  const auto boxes = draw_flame(scene, input, place, desk.look);
  show_scene("graph", scene, place, desk.fonts);
  hovered_.reset();
  if (!ImGui::IsItemHovered()) {
    return;
  }
  const double most = std::max(flame_height(tree, desk.look) - place.height, 0.0);
  scrolled_ = std::clamp(
      scrolled_ - static_cast<double>(ImGui::GetIO().MouseWheel) * desk.look.px(40), 0.0, most);
  hovered_ = node_at(boxes, pointer());
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    focus_ = 0;
  } else if (ImGui::IsItemClicked() && hovered_) {
    focus_ = *hovered_ == focus_ ? 0 : *hovered_;
  }
  if (hovered_) {
    const TreeNode& node = tree.nodes[*hovered_];
    ImGui::SetTooltip("%s\n%s\n%s in %s blocks",
                      node.full.empty() ? node.name.c_str() : node.full.c_str(), node.place.c_str(),
                      analyzer::format_size(measured(node.weight, measure_)).c_str(),
                      analyzer::format_count(node.weight.blocks).c_str());
  }
}

void HoldersPane::table(const Desk& desk, const Holders& holders) {
  const TreeOrder before = desk.state.order;
  for (std::size_t order = 0; order < kTreeOrders; ++order) {
    // Who asked comes first: it is what most people look for.
    const std::size_t shown = order < 2 ? 1 - order : order;
    choice(kOrderNames.at(shown), static_cast<TreeOrder>(shown), desk.state.order);
  }
  if (before != desk.state.order) {
    open_.clear();
    selected_row_.reset();
  }
  const CallTree& tree = holders.tree(desk.state.order);
  ImGui::SameLine(0, static_cast<float>(desk.look.px(10)));
  if (ImGui::Button("copy")) {
    constexpr std::size_t kMostLines = 10'000;
    ImGui::SetClipboardText(tree_text(tree, kMostLines).c_str());
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
  ImGui::GetWindowDrawList()->AddRectFilled(
      at, {at.x + width, at.y + ImGui::GetTextLineHeight()},
      packed(plot::faded(colour_of(number_of(node.name), desk.look.dark), 0.9)));
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
  ImGui::SetNextItemOpen(row.is_open);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetTreeNodeToLabelSpacing();
  const bool fits = ImGui::CalcTextSize(node.name.c_str()).x <= room;
  const std::string name = fits ? node.name : last_parts(node.name);
  const bool is_open =
      ImGui::TreeNodeEx("row",
                        ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanFullWidth |
                            (row.has_children ? ImGuiTreeNodeFlags_None : ImGuiTreeNodeFlags_Leaf),
                        "%s", name.c_str());
  if (row.has_children && is_open != row.is_open) {
    is_open ? static_cast<void>(open_.insert(row.node)) : static_cast<void>(open_.erase(row.node));
  }
  if (ImGui::IsItemHovered() && !node.full.empty() && node.full != node.name) {
    ImGui::SetTooltip("%s", node.full.c_str());
  }
  ImGui::PopID();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", node.place.c_str());
}

}  // namespace tidemark::gui
