/// What two traces are aligned by: as was asked for, else as it shows most of them.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"

#include <optional>

namespace tidemark::gui {

class Alignment {
 public:
  /// `wanted`: see ViewState::align.
  explicit Alignment(std::optional<picture::Align> wanted) : wanted_(wanted) {}

  /// Once a frame, as soon as the facts are known: phases and reading may become known later than
  /// the first picture. @return why it cannot be as it was asked for.
  std::optional<Message> settle(const Desk& desk);
  /// Another one from now on. @return why it cannot be; then nothing changes.
  std::optional<Message> change(const Desk& desk, picture::Align align);

 private:
  std::optional<picture::Align> wanted_;
  bool is_settled_ = false;  // As it shall be at first.
};

}  // namespace tidemark::gui
