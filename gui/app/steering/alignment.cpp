#include "gui/app/steering/alignment.hpp"

namespace tidemark::gui {

/// As asked for, or else by phase: if one load is much faster than the other, most of an axis of
/// time would be empty.
std::optional<Message> Alignment::settle(const Desk& desk) {
  if (!is_settled_) {
    is_settled_ = true;
    const bool may_choose = !wanted_ && desk.session.size() > 1;
    if (may_choose && desk.session.align(picture::Align::kPhase).ok()) {
      return std::nullopt;
    }
    wanted_ = wanted_.value_or(desk.session.alignment());
  }
  if (wanted_ && *wanted_ != desk.session.alignment()) {
    return change(desk, *wanted_);
  }
  return std::nullopt;
}

/// Resets the view: the same place on another axis is another instant.
std::optional<Message> Alignment::change(const Desk& desk, picture::Align align) {
  const auto status = desk.session.align(align);
  if (!status.ok()) {
    wanted_ = desk.session.alignment();
    return Message{status.error().message, true};
  }
  const bool was_chosen = wanted_ != align;
  desk.state.align = wanted_ = align;
  if (was_chosen) {
    desk.glide.jump_to({});
    desk.state.cursor.reset();
    desk.state.selection.reset();
  }
  return std::nullopt;
}

}  // namespace tidemark::gui
