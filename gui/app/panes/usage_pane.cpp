#include "gui/app/panes/usage_pane.hpp"

#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tidemark::gui {
namespace {

using analyzer::UsageGrouping;

std::string as_markdown(const analyzer::ReportUsage& usage) {
  analyzer::Report report;
  report.usage = usage;
  return usage_markdown(report);
}

/// ImGui remembers column widths by table name and column index, so lists with other columns need
/// another name.
std::string table_name(const std::vector<std::string>& headings) {
  std::string name = "usage";
  for (const std::string& heading : headings) {
    name += "/" + heading;
  }
  return name;
}

}  // namespace

std::optional<StackAt> UsagePane::show(const Desk& desk) {
  shown_ = ask(desk);
  toolbar(desk);
  // A button may have changed the question.
  shown_ = ask(desk);
  if (shown_ == nullptr) {
    show_waiting(desk.chosen(), Question::kUsage, "counting all allocations ...");
    return std::nullopt;
  }
  return table(desk);
}

/// Null until it has come.
std::shared_ptr<const AllocationUsage> UsagePane::ask(const Desk& desk) {
  desk.chosen().ask_usage({desk.state.usage, desk.state.usage_by_function});
  return desk.chosen().usage();
}

void UsagePane::toolbar(const Desk& desk) const {
  Toolbar bar(desk);
  bar.choice("temporary", UsageGrouping::kTemporary, desk.state.usage);
  bar.choice("alive at the end", UsageGrouping::kLeaked, desk.state.usage);
  bar.choice("most often", UsageGrouping::kAllocations, desk.state.usage);
  bar.choice("by size", UsageGrouping::kSize, desk.state.usage);
  bar.choice("by thread", UsageGrouping::kThread, desk.state.usage);
  bar.apart();
  if (has_stacks(desk.state.usage)) {
    bar.choice("stacks", false, desk.state.usage_by_function);
    bar.choice("functions", true, desk.state.usage_by_function);
    bar.apart();
  }
  if (shown_ != nullptr) {
    // The report's table only has stacks.
    if (shown_->functions.empty()) {
      bar.button("copy markdown",
                 [this] { ImGui::SetClipboardText(as_markdown(shown_->usage).c_str()); });
      bar.apart();
    }
    bar.text(shown_->lines.title);
  }
  bar.show();
}

std::optional<StackAt> UsagePane::table(const Desk& desk) {
  const auto columns = static_cast<int>(shown_->lines.headings.size());
  std::optional<StackAt> wanted;
  if (!ImGui::BeginTable(table_name(shown_->lines.headings).c_str(), columns,
                         ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                             ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable)) {
    return wanted;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  for (int i = 0; i + 1 < columns; ++i) {
    ImGui::TableSetupColumn(shown_->lines.headings[static_cast<std::size_t>(i)].c_str(),
                            ImGuiTableColumnFlags_WidthFixed, static_cast<float>(desk.look.px(82)));
  }
  ImGui::TableSetupColumn(shown_->lines.headings.back().c_str(),
                          ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown_->lines.cells.size()));
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
  for (const analyzer::ReportUsageRow& row : shown_->usage.rows) {
    most = std::max(most, analyzer::rank_of(shown_->usage.by, row.usage.counts));
  }
  return number < shown_->usage.rows.size()
             ? static_cast<double>(
                   analyzer::rank_of(shown_->usage.by, shown_->usage.rows[number].usage.counts)) /
                   static_cast<double>(most)
             : 0;
}

std::optional<StackAt> UsagePane::row(const Desk& desk, std::size_t number) {
  ImGui::TableNextRow();
  for (std::size_t i = 0; i < shown_->lines.cells[number].size(); ++i) {
    ImGui::TableNextColumn();
    const std::string& text = shown_->lines.cells[number][i];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    if (i == shown_->lines.ranked) {
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
  const bool is_stack = number < shown_->usage.rows.size() && shown_->lines.names[number].empty();
  if (!is_stack) {
    ImGui::TextUnformatted(shown_->lines.names[number].c_str());
    return std::nullopt;
  }
  const auto& frames = shown_->usage.rows[number].frames;
  const std::string text =
      shown_->functions.empty() ? shown_->stacks[number] : shown_->functions[number];
  ImGui::PushID(static_cast<int>(number));
  const bool is_clicked = ImGui::Selectable(text.c_str(), false);
  ImGui::PopID();
  const bool was_kept = shown_->usage.by == analyzer::UsageGrouping::kLeaked;
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip(was_kept ? "show who holds memory when the program ends"
                               : "show who holds memory at the peak, or, where it\nholds nothing "
                                 "then, when its largest block was allocated");
  }
  if (!is_clicked) {
    return std::nullopt;
  }
  return was_kept ? StackAt{shown_->end_ns, frames, {}}
                  : StackAt{desk.chosen().subject().peak_at.at_ns, frames,
                            shown_->usage.rows[number].usage.counts.largest_at_ns};
}

}  // namespace tidemark::gui
