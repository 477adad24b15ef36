#include "gui/app/dialogs/find_dialog.hpp"

#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>

namespace tidemark::gui {

void FindDialog::gather(const Desk& desk) {
  decltype(gathered_) now{};
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    OpenTrace& trace = desk.session.trace(side);
    trace.ask_holders(desk.session.moment(side, desk.state));
    now.at(side) = {&trace, trace.facts(), trace.holders()};
  }
  const bool are_notes_known = std::exchange(notes_, desk.notes) == desk.notes;
  if (std::exchange(gathered_, now) == now && are_notes_known) {
    return;
  }
  places_.clear();
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const OpenTrace& trace = desk.session.trace(side);
    auto more = places_of(trace.definitions(), trace.subject(), side);
    std::ranges::move(more, std::back_inserter(places_));
    if (const auto holders = trace.holders()) {
      know_held(holders->stacks, side, places_);
    }
    more = places_of(desk.notes.at(side), side);
    std::ranges::move(more, std::back_inserter(places_));
  }
  found_.clear();
  found_for_.clear();
}

std::optional<Place> FindDialog::show(const Desk& desk) {
  constexpr std::size_t kMaxRows = 14;
  gather(desk);
  const auto width = static_cast<float>(desk.look.px(620));
  if (ImGui::IsWindowAppearing()) {
    ImGui::SetKeyboardFocusHere();
    wanted_.clear();
  }
  ImGui::SetNextItemWidth(width);
  const bool is_entered =
      ImGui::InputTextWithHint("##find", "find a function, tensor, file, phase, thread or note",
                               &wanted_, ImGuiInputTextFlags_EnterReturnsTrue);
  if (found_for_ != wanted_) {
    found_for_ = wanted_;
    found_ = find_places(places_, wanted_, kMaxRows);
    selected_ = 0;
  }
  take_arrows();
  std::optional<Place> chosen;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (row(desk, *found_[i], i == selected_) || (is_entered && i == selected_)) {
      chosen = *found_[i];
    }
    ImGui::PopID();
  }
  if (found_.empty()) {
    ImGui::TextDisabled(
        "%s", wanted_.empty() ? "up, down, Enter: go to it" : "nothing has this in its name");
  }
  return chosen;
}

void FindDialog::take_arrows() {
  if (found_.empty()) {
    return;
  }
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow))) {
    selected_ = std::min(selected_ + 1, found_.size() - 1);
  }
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow))) {
    selected_ -= std::min<std::size_t>(selected_, 1);
  }
}

bool FindDialog::row(const Desk& desk, const Place& place, bool is_selected) const {
  const auto width = static_cast<float>(desk.look.px(620));
  const bool is_clicked =
      ImGui::Selectable("##row", is_selected, ImGuiSelectableFlags_None, {width, 0});
  ImGui::SameLine(static_cast<float>(desk.look.px(8)));
  ImGui::TextDisabled("%s", word_of(place.kind));
  // Sizes stand below each other, left of what may be long.
  const std::string size = place.bytes == 0 ? "" : analyzer::format_size(place.bytes);
  ImGui::SameLine(static_cast<float>(desk.look.px(142)) - ImGui::CalcTextSize(size.c_str()).x);
  ImGui::TextUnformatted(size.c_str());
  ImGui::SameLine(static_cast<float>(desk.look.px(154)));
  ImGui::TextUnformatted(last_parts(place.name).c_str());
  ImGui::SameLine();
  const char* const role = desk.session.size() < 2 ? "" : place.side == 0 ? "  before" : "  after";
  ImGui::TextDisabled("%s%s", place.detail.c_str(), role);
  return is_clicked;
}

}  // namespace tidemark::gui
