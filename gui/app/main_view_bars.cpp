#include "analyzer/plot/headline.hpp"
#include "analyzer/plot/legend.hpp"
#include "gui/app/main_view.hpp"
#include "gui/app/widgets.hpp"

#include <array>
#include <vector>

namespace tidemark::gui {

void MainView::top_bar(const Desk& desk) {
  constexpr std::array kButtons{"Open", "Export", "Save view", "Theme", "? Keys"};
  float width = 0;
  for (const char* const name : kButtons) {
    width += ImGui::CalcTextSize(name).x + 2 * ImGui::GetStyle().FramePadding.x + 2;
  }
  ImGui::PushFont(desk.fonts.title());
  const float left = ImGui::GetCursorPosX();
  const float right = ImGui::GetContentRegionAvail().x - width;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // The buttons stay, whatever the headline needs.
  ImGui::PushClipRect(at, {at.x + right - 8, at.y + 1000}, true);
  ImGui::TextUnformatted(plot::headline(session_->subjects()).c_str());
  ImGui::PopClipRect();
  ImGui::PopFont();
  ImGui::SameLine(left + right);
  bool pressed = false;
  const std::array<const char*, 2> kPopups{"open", "export"};
  for (std::size_t i = 0; i < kButtons.size(); ++i) {
    pressed = ImGui::Button(kButtons.at(i));
    ImGui::SameLine(0, 2);
    if (!pressed) {
      continue;
    }
    if (i < kPopups.size()) {
      ImGui::OpenPopup(kPopups.at(i));
    } else if (i == 2) {
      wants_save_ = true;
    } else if (i == 3) {
      state_.dark = settings_.dark = !state_.dark;
    } else {
      ImGui::OpenPopup("keys");
    }
  }
  ImGui::NewLine();
}

/// Why the peak is as high as it is, in a sentence for each trace that has a finding: what somebody
/// opens the window for. A click tells more.
void MainView::reasons(const Desk& desk) {
  constexpr std::array kRoles{"before: ", "after: "};
  for (std::size_t side = 0; side < session_->size(); ++side) {
    const TraceFacts* const facts = session_->trace(side).facts();
    if (facts == nullptr || facts->report.anatomy.findings.empty()) {
      continue;
    }
    const analyzer::Finding& first = facts->report.anatomy.findings.front();
    if (!first.peak_without_bytes) {
      continue;  // It is not what makes the peak.
    }
    const std::string role = session_->size() > 1 ? kRoles.at(side) : "";
    ImGui::PushStyleColor(ImGuiCol_Text, packed(desk.look.theme.more));
    ImGui::TextUnformatted((role + first.title).c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine(0, static_cast<float>(desk.look.px(10)));
    ImGui::TextWrapped("%s", first.sentence.c_str());
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    if (ImGui::IsItemClicked()) {
      state_.side = side;
      turn_to(Pane::kFindings);
    }
  }
}

void MainView::warnings(const Desk& desk) {
  const plot::Theme& theme = desk.look.theme;
  const auto bar = [&](const std::string& text) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::GetWindowDrawList()->AddRectFilled(
        at, {at.x + width, at.y + ImGui::GetTextLineHeightWithSpacing()},
        packed(plot::mixed(theme.warning, theme.background, 0.16)));
    ImGui::PushStyleColor(ImGuiCol_Text, packed(theme.warning));
    ImGui::Text(" %s", text.c_str());
    ImGui::PopStyleColor();
  };
  for (std::size_t side = 0; side < session_->size(); ++side) {
    const OpenTrace& trace = session_->trace(side);
    for (const std::string& text : {trace.subject().warning, trace.error()}) {
      if (!text.empty()) {
        bar(text);
      }
    }
  }
  if (!message_.empty()) {
    bar(message_);
  }
}

void MainView::legend(const Desk& desk) {
  const auto& subjects = session_->subjects();
  std::vector<TimelineTrace> traces;
  for (const plot::Subject& subject : subjects) {
    traces.push_back({&subject, {}, ""});
  }
  const auto entries = plot::legend_entries(subjects, desk.look.theme, highest_value(traces));
  const plot::Box place = rest_of_window();
  const double height = static_cast<double>(ImGui::GetFrameHeight());
  plot::Scene scene;
  plot::Pen pen(scene, desk.look.measure);
  std::vector<plot::Point> places;
  double x = place.x;
  for (const plot::LegendEntry& entry : entries) {
    places.push_back({x, place.y + height / 2});
    x += plot::legend_width(pen, entry, desk.look.type);
  }
  plot::draw_legend(pen, entries, places, desk.look.type, desk.look.theme);
  paint(*ImGui::GetWindowDrawList(), scene, desk.fonts);
  ImGui::Dummy({static_cast<float>(x - place.x), static_cast<float>(height)});
  if (session_->size() > 1) {
    ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
    switches(desk);
  }
}

void MainView::switches(const Desk& desk) {
  plot::Align align = session_->alignment();
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("align by");
  ImGui::SameLine();
  choice("time", plot::Align::kTime, align);
  choice("phase", plot::Align::kPhase, align);
  choice("bytes read", plot::Align::kBytes, align);
  if (align != session_->alignment()) {
    set_alignment(align);
  }
  ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
  choice("apart", false, state_.overlaid);
  choice("overlaid", true, state_.overlaid);
  ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
  ImGui::TextDisabled("details of");
  ImGui::SameLine();
  choice("before", std::size_t{0}, state_.side);
  choice("after", std::size_t{1}, state_.side);
  ImGui::NewLine();
}

}  // namespace tidemark::gui
