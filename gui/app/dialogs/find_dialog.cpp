#include "gui/app/dialogs/find_dialog.hpp"

#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>

namespace tidemark::gui {

bool FindDialog::gather(const Desk& desk) {
  decltype(gathered_) now{};
  bool has_functions = true;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    OpenTrace& trace = desk.session.trace(side);
    trace.ask_holders(desk.session.moment(side, desk.state));
    now.at(side) = {&trace, trace.event_count(), trace.facts()};
    if (std::get<0>(gathered_.at(side)) != &trace ||
        std::get<1>(gathered_.at(side)) != trace.event_count()) {
      functions_.at(side) = std::make_shared<const FunctionBytes>(trace.definitions());
      has_functions = false;
    }
  }
  const bool are_notes_known = std::exchange(notes_, desk.notes) == desk.notes;
  const bool is_gathered = std::exchange(gathered_, now) == now;
  if (is_gathered && are_notes_known && has_functions) {
    return false;
  }
  places_.clear();
  held_ = {};
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const OpenTrace& trace = desk.session.trace(side);
    auto more = places_of(trace.definitions(), trace.subject(), *functions_.at(side), side);
    std::ranges::move(more, std::back_inserter(places_));
    more = places_of(desk.notes.at(side), side);
    std::ranges::move(more, std::back_inserter(places_));
  }
  return true;
}

/// Takes the bytes held through functions; the last ones stay until new ones come. @return true if
/// any changed.
bool FindDialog::know_held_bytes(const Desk& desk) {
  bool came = false;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    OpenTrace& trace = desk.session.trace(side);
    trace.ask_held(functions_.at(side));
    const auto held = trace.held();
    if (held && held->functions == functions_.at(side) &&
        std::exchange(held_.at(side), held) != held) {
      know_held(held->bytes, side, places_);
      came = true;
    }
  }
  return came;
}

std::optional<Place> FindDialog::show(const Desk& desk) {
  constexpr std::size_t kMaxRows = 14;
  const bool is_new = gather(desk);
  const bool is_known = know_held_bytes(desk);
  const auto width = static_cast<float>(desk.look.px(620));
  if (ImGui::IsWindowAppearing()) {
    ImGui::SetKeyboardFocusHere();
    wanted_.clear();
  }
  ImGui::SetNextItemWidth(width);
  const bool is_entered =
      ImGui::InputTextWithHint("##find", "find a function, tensor, file, phase, thread or note",
                               &wanted_, ImGuiInputTextFlags_EnterReturnsTrue);
  if (is_new || is_known || found_for_ != wanted_) {
    found_for_ = wanted_;
    found_.find(places_, wanted_, kMaxRows);
  }
  take_arrows();
  std::optional<Place> chosen;
  bool has_functions = false;
  for (std::size_t i = 0; i < found_.all().size(); ++i) {
    const Place& place = *found_.all()[i];
    const bool is_selected = i == found_.selected();
    has_functions = has_functions || place.kind == Place::Kind::kFunction;
    ImGui::PushID(static_cast<int>(i));
    if (row(desk, place, is_selected) || (is_entered && is_selected)) {
      chosen = place;
    }
    ImGui::PopID();
  }
  if (has_functions) {
    tell_moment(desk);
  }
  if (found_.all().empty()) {
    ImGui::TextDisabled(
        "%s", wanted_.empty() ? "up, down, Enter: go to it" : "nothing has this in its name");
  }
  return chosen;
}

/// Says at which instant, or in which range, the bytes of functions are.
void FindDialog::tell_moment(const Desk& desk) const {
  std::string text;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    if (const auto& held = held_.at(side)) {
      text += text.empty() ? "bytes of functions: " : ", ";
      text += desk.session.size() < 2 ? "" : side == 0 ? "before " : "after ";
      text += held_text(held->holders->moment, held->holders->at_ns);
    }
  }
  ImGui::TextDisabled("%s", text.c_str());
}

void FindDialog::take_arrows() {
  const std::size_t count = found_.all().size();
  if (count == 0) {
    return;
  }
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow))) {
    found_.select(std::min(found_.selected() + 1, count - 1));
  }
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow))) {
    found_.select(found_.selected() - std::min<std::size_t>(found_.selected(), 1));
  }
}

bool FindDialog::row(const Desk& desk, const Place& place, bool is_selected) const {
  const auto width = static_cast<float>(desk.look.px(620));
  const bool is_clicked =
      ImGui::Selectable("##row", is_selected, ImGuiSelectableFlags_None, {width, 0});
  ImGui::SameLine(static_cast<float>(desk.look.px(8)));
  ImGui::TextDisabled("%s", word_of(place.kind));
  // Sizes are aligned, to the left of texts that may be long.
  const std::string size = place.bytes == 0 ? "" : analyzer::format_size(place.bytes);
  ImGui::SameLine(static_cast<float>(desk.look.px(142)) - ImGui::CalcTextSize(size.c_str()).x);
  ImGui::TextUnformatted(size.c_str());
  ImGui::SameLine(static_cast<float>(desk.look.px(154)));
  ImGui::TextUnformatted(last_parts(place.name).c_str());
  ImGui::SameLine();
  const char* const role = desk.session.size() < 2 ? "" : place.side == 0 ? "  before" : "  after";
  // A block may hold it as another type, as its details say.
  const bool is_type = place.kind == Place::Kind::kTensor && !place.detail.empty();
  ImGui::TextDisabled("%s%s%s", place.detail.c_str(), is_type ? " in its file" : "", role);
  return is_clicked;
}

}  // namespace tidemark::gui
