// Notes at instants, kept beside the trace.
#include "analyzer/text/size_text.hpp"
#include "gui/app/main_view.hpp"

#include <algorithm>
#include <utility>

#include <imgui_stdlib.h>

namespace tidemark::gui {

/// At the instant that was clicked on, else at the one that is pointed at, else at the peak. Where
/// there is a note close by, that one.
void MainView::open_note() {
  constexpr double kReach = 0.006;  // Of what is in view.
  const std::size_t side = state_.side;
  const auto at = state_.cursor ? state_.cursor : timeline_.pointed_at();
  const std::uint64_t peak_ns = session_->trace(side).subject().peak_at.at_ns;
  const std::uint64_t at_ns = at ? session_->ns_at(side, *at) : peak_ns;
  const double x = session_->x_of(side, at_ns);
  const double reach = kReach * glide_.now().width();
  const Note* const near =
      note_near(notes_.all().at(side), at_ns, session_->ns_at(side, std::max(x - reach, 0.0)),
                session_->ns_at(side, std::min(x + reach, 1.0)));
  edited_ = {side, near == nullptr ? at_ns : near->at_ns};
  note_text_ = near == nullptr ? "" : near->text;
  ImGui::OpenPopup("note");
}

void MainView::note_dialog(const Desk& desk) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport.WorkPos.x + viewport.WorkSize.x / 2, toolbar_bottom_},
                          ImGuiCond_Always, {0.5F, 0});
  if (!begin_popup("note")) {
    return;
  }
  if (ImGui::IsWindowAppearing()) {
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(static_cast<float>(desk.look.px(520)));
  if (ImGui::InputTextWithHint("##note", "a note", &note_text_,
                               ImGuiInputTextFlags_EnterReturnsTrue)) {
    keep_note(note_text_);
    ImGui::CloseCurrentPopup();
  }
  const bool are_two = session_->size() > 1;
  const std::string load = !are_two            ? ""
                           : edited_.side == 0 ? " of the load before"
                                               : " of the load after";
  ImGui::TextDisabled("at %s%s; Enter keeps it beside the trace, one without text is taken away",
                      analyzer::format_time(edited_.at_ns).c_str(), load.c_str());
  ImGui::EndPopup();
}

void MainView::keep_note(const std::string& text) {
  const std::string trouble = notes_.write(edited_.side, edited_.at_ns, text);
  message_ = {trouble, !trouble.empty()};
}

}  // namespace tidemark::gui
