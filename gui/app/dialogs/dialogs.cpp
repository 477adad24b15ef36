#include "gui/app/dialogs/dialogs.hpp"

#include "gui/app/steering/keys.hpp"

#include <array>

#include <imgui.h>

namespace tidemark::gui {
namespace {

/// Their ImGui ids.
constexpr std::array kDialogNames{"open", "export", "find", "note", "keys"};

const char* name_of(Dialog dialog) {
  return kDialogNames.at(static_cast<std::size_t>(dialog));
}

/// Places the next popup below `top`, at `share` of the window's width, with the same share of the
/// popup to the left of that point.
void place_below(float top, float share) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport.WorkPos.x + viewport.WorkSize.x * share, top}, ImGuiCond_Always,
                          {share, 0});
}

bool begin_dialog(Dialog dialog, bool is_closing) {
  const bool is_open = ImGui::BeginPopup(name_of(dialog));
  if (is_open && is_closing) {
    ImGui::CloseCurrentPopup();
  }
  return is_open;
}

/// Calls `show()` inside the dialog's popup; a choice closes it.
template <typename Show>
auto chosen_in(Dialog dialog, bool is_closing, const Show& show) {
  decltype(show()) chosen;
  if (begin_dialog(dialog, is_closing)) {
    chosen = show();
    if (chosen) {
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  return chosen;
}

}  // namespace

void Dialogs::open(Dialog dialog) {
  ImGui::OpenPopup(name_of(dialog));
}

void Dialogs::open_note(const Desk& desk, std::optional<double> pointed_at) {
  note_dialog_.begin(desk, pointed_at);
  open(Dialog::kNote);
}

bool Dialogs::takes_letters() {
  return ImGui::IsPopupOpen(name_of(Dialog::kFind));
}

bool Dialogs::close() {
  if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
    return false;
  }
  is_closing_ = true;
  return true;
}

DialogChoice Dialogs::show(const Desk& desk, const std::vector<std::string>& recent, float top) {
  DialogChoice choice;
  choice.traces =
      chosen_in(Dialog::kOpen, is_closing_, [&] { return open_dialog_.show(desk.look, recent); });
  // Below its button, not over it.
  place_below(top, 1);
  choice.picture =
      chosen_in(Dialog::kExport, is_closing_, [&] { return export_dialog_.show(desk); });
  place_below(top, 0.5F);
  choice.place = chosen_in(Dialog::kFind, is_closing_, [&] { return find_dialog_.show(desk); });
  place_below(top, 0.5F);
  choice.note = chosen_in(Dialog::kNote, is_closing_, [&] { return note_dialog_.show(desk); });
  if (begin_dialog(Dialog::kKeys, is_closing_)) {
    show_keys(desk.look);
    ImGui::EndPopup();
  }
  is_closing_ = false;
  return choice;
}

}  // namespace tidemark::gui
