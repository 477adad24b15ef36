#include "gui/app/bars/reasons.hpp"

#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "gui/app/panes/widgets.hpp"

#include <array>
#include <string>

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

std::optional<Pane> show_reasons(const Desk& desk) {
  constexpr std::array kRoles{"before: ", "after: "};
  std::optional<Pane> more;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const TraceFacts* const facts = desk.session.trace(side).facts();
    const Reason reason = facts == nullptr ? Reason{} : reason_of(facts->report);
    if (reason.sentence.empty()) {
      continue;
    }
    const std::string role = desk.session.size() > 1 ? kRoles.at(side) : "";
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
      desk.state.side = side;
      more = Pane::kFindings;
    }
  }
  return more;
}

}  // namespace tidemark::gui
