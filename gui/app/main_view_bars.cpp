#include "analyzer/picture/headline.hpp"
#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "gui/app/main_view.hpp"
#include "gui/app/panes/widgets.hpp"

#include <array>
#include <string>
#include <vector>

namespace tidemark::gui {
namespace {

/// What makes the peak, in a few words and in a sentence.
struct Reason {
  std::string title{};
  std::string sentence{};
};

Reason reason_of(const analyzer::Report& report) {
  // Where findings leave most of it open, they are not what makes the peak.
  if (!analyzer::unexplained_text(report).empty() && !report.anatomy.groups.empty()) {
    return {"largest group at the peak",
            analyzer::group_text(report, report.anatomy.groups.front())};
  }
  const auto& findings = report.anatomy.findings;
  return !findings.empty() && findings.front().peak_without_bytes
             ? Reason{findings.front().title, findings.front().sentence}
             : Reason();
}

}  // namespace

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
  ImGui::TextUnformatted(picture::headline(session_->subjects()).c_str());
  ImGui::PopClipRect();
  ImGui::PopFont();
  ImGui::SameLine(left + right);
  bool pressed = false;
  for (std::size_t i = 0; i < kButtons.size(); ++i) {
    pressed = ImGui::Button(kButtons.at(i));
    ImGui::SameLine(0, 2);
    if (!pressed) {
      continue;
    }
    if (i < 2) {
      dialogs_.open(i == 0 ? Dialog::kOpen : Dialog::kExport);
    } else if (i == 2) {
      wants_save_ = true;
    } else if (i == 3) {
      state_.dark = settings_.dark = !state_.dark;
    } else {
      dialogs_.open(Dialog::kKeys);
    }
  }
  ImGui::NewLine();
  toolbar_bottom_ = ImGui::GetCursorScreenPos().y;
}

/// Why the peak is as high as it is, in a sentence for each trace that has a finding: what somebody
/// opens the window for. A click tells more.
void MainView::reasons(const Desk& desk) {
  constexpr std::array kRoles{"before: ", "after: "};
  for (std::size_t side = 0; side < session_->size(); ++side) {
    const TraceFacts* const facts = session_->trace(side).facts();
    const Reason reason = facts == nullptr ? Reason{} : reason_of(facts->report);
    if (reason.sentence.empty()) {
      continue;
    }
    const std::string role = session_->size() > 1 ? kRoles.at(side) : "";
    ImGui::PushStyleColor(ImGuiCol_Text,
                          packed(picture::as_text(desk.look.theme.more, desk.look.theme)));
    ImGui::TextUnformatted((role + reason.title).c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine(0, static_cast<float>(desk.look.px(10)));
    ImGui::TextWrapped("%s", reason.sentence.c_str());
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
  const picture::Theme& theme = desk.look.theme;
  for (std::size_t side = 0; side < session_->size(); ++side) {
    const OpenTrace& trace = session_->trace(side);
    for (const std::string& text : {trace.subject().warning, trace.error()}) {
      if (!text.empty()) {
        bar(text, theme.warning, desk);
      }
    }
  }
  if (!message_.text.empty()) {
    bar(message_.text, message_.is_trouble ? theme.warning : theme.soft, desk);
  }
}

/// A sentence over the whole width, on as many lines as it needs: in a small window as well.
void MainView::bar(const std::string& text, const picture::Colour& colour, const Desk& desk) {
  const auto indent = static_cast<float>(desk.look.px(4));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, width - 3 * indent).y +
                       ImGui::GetStyle().ItemSpacing.y;
  ImGui::GetWindowDrawList()->AddRectFilled(
      at, {at.x + width, at.y + height},
      packed(picture::mixed(colour, desk.look.theme.background, 0.16)));
  // The colour is a stripe beside the text: as text on its own tint it would be hard to read.
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + indent * 0.75F, at.y + height},
                                            packed(colour));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + 2 * indent);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width - 3 * indent);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

void MainView::legend(const Desk& desk) {
  // The timeline needs the room.
  constexpr int kMostRows = 2;
  switches(desk);
  const picture::Box place = rest_of_window();
  picture::Scene scene;
  const double height = draw_timeline_legend(scene, legend_of(desk), place, kMostRows, desk.look);
  paint(*ImGui::GetWindowDrawList(), scene, desk.fonts);
  ImGui::Dummy({static_cast<float>(place.width), static_cast<float>(height)});
}

void MainView::switches(const Desk& desk) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("footprint by");
  ImGui::SameLine();
  for (const analyzer::LayerGrouping grouping : analyzer::kLayerGroupings) {
    choice(std::string(analyzer::grouping_word(grouping)).c_str(), grouping, state_.by);
  }
  if (session_->size() < 2) {
    ImGui::NewLine();
    return;
  }
  ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
  picture::Align align = session_->alignment();
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("align by");
  ImGui::SameLine();
  choice("time", picture::Align::kTime, align);
  choice("phase", picture::Align::kPhase, align);
  choice("bytes read", picture::Align::kBytes, align);
  if (align != session_->alignment()) {
    tell(alignment_.change(desk, align));
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
