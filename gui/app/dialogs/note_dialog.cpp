#include "gui/app/dialogs/note_dialog.hpp"

#include "analyzer/text/size_text.hpp"

#include <algorithm>

#include <imgui.h>
#include <imgui_stdlib.h>

namespace tidemark::gui {

void NoteDialog::begin(const Desk& desk, std::optional<double> pointed_at) {
  constexpr double kReach = 0.006;  // As a share of the range in view.
  const Session& session = desk.session;
  const std::size_t side = desk.state.side;
  const auto at = desk.state.cursor ? desk.state.cursor : pointed_at;
  const std::uint64_t peak_ns = session.trace(side).subject().peak_at.at_ns;
  const std::uint64_t at_ns = at ? session.ns_at(side, *at) : peak_ns;
  const double x = session.x_of(side, at_ns);
  const double reach = kReach * desk.glide.now().width();
  const Note* const near =
      note_near(desk.notes.at(side), at_ns, session.ns_at(side, std::max(x - reach, 0.0)),
                session.ns_at(side, std::min(x + reach, 1.0)));
  edited_ =
      near == nullptr ? WrittenNote{side, at_ns, ""} : WrittenNote{side, near->at_ns, near->text};
}

std::optional<WrittenNote> NoteDialog::show(const Desk& desk) {
  if (ImGui::IsWindowAppearing()) {
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(static_cast<float>(desk.look.px(520)));
  const bool is_entered = ImGui::InputTextWithHint("##note", "a note", &edited_.text,
                                                   ImGuiInputTextFlags_EnterReturnsTrue);
  const bool are_two = desk.session.size() > 1;
  const std::string load = !are_two            ? ""
                           : edited_.side == 0 ? " of the load before"
                                               : " of the load after";
  ImGui::TextDisabled("at %s%s; Enter keeps it beside the trace, one without text is taken away",
                      analyzer::format_time(edited_.at_ns).c_str(), load.c_str());
  return is_entered ? std::optional(edited_) : std::nullopt;
}

}  // namespace tidemark::gui
