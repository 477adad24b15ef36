#include "gui/app/bars/reasons.hpp"

#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "gui/app/panes/widgets.hpp"

#include <array>
#include <string>

namespace tidemark::gui {

std::optional<Pane> show_reasons(const Desk& desk) {
  constexpr std::array kRoles{"before: ", "after: "};
  std::optional<Pane> more;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const TraceFacts* const facts = desk.session.trace(side).facts();
    const analyzer::Reason reason =
        facts == nullptr ? analyzer::Reason() : analyzer::main_reason(facts->report);
    if (reason.sentence.empty()) {
      continue;
    }
    const std::string role = desk.session.size() > 1 ? kRoles.at(side) : "";
    ImGui::PushStyleColor(ImGuiCol_Text,
                          packed(picture::as_text(desk.look.theme.more, desk.look.theme)));
    ImGui::TextUnformatted((role + reason.title).c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine(0, static_cast<float>(desk.look.px(10)));
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string shown =
        is_low(desk) ? in_one_line(reason.sentence, room) : in_lines(reason.sentence, room);
    ImGui::TextWrapped("%s", shown.c_str());
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (shown.ends_with(" …")) {
        ImGui::SetTooltip("%s",
                          in_lines(reason.sentence, static_cast<float>(desk.look.px(400))).c_str());
      }
    }
    if (ImGui::IsItemClicked()) {
      desk.state.side = side;
      more = Pane::kFindings;
    }
  }
  return more;
}

}  // namespace tidemark::gui
