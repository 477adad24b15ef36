#include "gui/app/panes/usage_pane.hpp"

#include "gui/app/panes/widgets.hpp"
#include "gui/view/trees/call_tree.hpp"

#include <algorithm>
#include <string>

namespace tidemark::gui {
namespace {

using analyzer::UsageGrouping;

/// What rows are compared by, as a line below the first cell.
std::uint64_t weight_of(UsageGrouping by, const analyzer::UsageCounts& counts) {
  switch (by) {
    case UsageGrouping::kTemporary:
      return counts.temporary;
    case UsageGrouping::kLeaked:
      return counts.held_bytes;
    case UsageGrouping::kAllocations:
      return counts.allocations;
    default:
      return counts.bytes;
  }
}

std::string as_markdown(const analyzer::ReportUsage& usage) {
  analyzer::Report report;
  report.usage = usage;
  return usage_markdown(report);
}

}  // namespace

std::optional<StackAt> UsagePane::show(const Desk& desk) {
  ImGui::AlignTextToFramePadding();
  choice("temporary", UsageGrouping::kTemporary, desk.state.usage);
  choice("alive at the end", UsageGrouping::kLeaked, desk.state.usage);
  choice("most often", UsageGrouping::kAllocations, desk.state.usage);
  choice("by size", UsageGrouping::kSize, desk.state.usage);
  choice("by thread", UsageGrouping::kThread, desk.state.usage);
  desk.chosen().ask_usage(desk.state.usage);
  const auto usage = desk.chosen().usage();
  if (usage == nullptr) {
    ImGui::NewLine();
    ImGui::TextDisabled("counting all allocations ...");
    return std::nullopt;
  }
  if (usage != shown_) {
    shown_ = usage;
    lines_ = analyzer::usage_lines(*usage);
  }
  ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
  if (switch_button("copy markdown", false)) {
    ImGui::SetClipboardText(as_markdown(*usage).c_str());
  }
  ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
  ImGui::TextUnformatted(lines_.title.c_str());
  return table(desk);
}

std::optional<StackAt> UsagePane::table(const Desk& desk) {
  const auto columns = static_cast<int>(lines_.headings.size());
  std::optional<StackAt> wanted;
  if (!ImGui::BeginTable("usage", columns,
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                             ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable)) {
    return wanted;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  for (int i = 0; i + 1 < columns; ++i) {
    ImGui::TableSetupColumn(lines_.headings[static_cast<std::size_t>(i)].c_str(),
                            ImGuiTableColumnFlags_WidthFixed, static_cast<float>(desk.look.px(82)));
  }
  ImGui::TableSetupColumn(lines_.headings.back().c_str(), ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(lines_.cells.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      if (auto clicked = row(desk, static_cast<std::size_t>(i))) {
        wanted = std::move(clicked);
      }
    }
  }
  ImGui::EndTable();
  return wanted;
}

double UsagePane::share_of(std::size_t number) const {
  std::uint64_t most = 1;
  for (const analyzer::ReportUsageRow& row : shown_->rows) {
    most = std::max(most, weight_of(shown_->by, row.usage.counts));
  }
  return number < shown_->rows.size()
             ? static_cast<double>(weight_of(shown_->by, shown_->rows[number].usage.counts)) /
                   static_cast<double>(most)
             : 0;
}

std::optional<StackAt> UsagePane::row(const Desk& desk, std::size_t number) {
  ImGui::TableNextRow();
  for (std::size_t i = 0; i < lines_.cells[number].size(); ++i) {
    ImGui::TableNextColumn();
    const std::string& text = lines_.cells[number][i];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    if (i == 0) {
      const float bottom = at.y + ImGui::GetTextLineHeight() + static_cast<float>(desk.look.px(1));
      ImGui::GetWindowDrawList()->AddRectFilled(
          {at.x, bottom - static_cast<float>(desk.look.px(2.5))},
          {at.x + room * static_cast<float>(share_of(number)), bottom},
          packed(desk.look.theme.lane(trace::Lane::kHeap)));
    }
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - ImGui::CalcTextSize(text.c_str()).x);
    ImGui::TextUnformatted(text.c_str());
  }
  ImGui::TableNextColumn();
  const bool is_stack = number < shown_->rows.size() && lines_.names[number].empty();
  if (!is_stack) {
    ImGui::TextUnformatted(lines_.names[number].c_str());
    return std::nullopt;
  }
  const auto& frames = shown_->rows[number].frames;
  std::string text = frames.empty() ? "(no stack)" : "";
  for (std::size_t i = analyzer::asking_frame(frames); i < frames.size(); ++i) {
    text += (text.empty() ? "" : "  <  ") + analyzer::short_name(frames[i]);
    const std::string place = text.find("  <  ") == std::string::npos ? place_text(frames[i]) : "";
    text += place.empty() ? "" : " (" + place + ")";
  }
  ImGui::PushID(static_cast<int>(number));
  const bool is_clicked = ImGui::Selectable(text.c_str(), false);
  ImGui::PopID();
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("show who holds memory at the peak");
  }
  return is_clicked ? std::optional(StackAt{desk.chosen().subject().peak_at.at_ns, frames})
                    : std::nullopt;
}

}  // namespace tidemark::gui
