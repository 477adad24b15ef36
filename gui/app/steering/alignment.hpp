/// What two traces are aligned by: as asked for, else what shows most of them.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"

#include <optional>

namespace tidemark::gui {

class Alignment {
 public:
  /// `wanted`: see ViewState::align.
  explicit Alignment(std::optional<picture::Align> wanted) : wanted_(wanted) {}

  /// Call in each frame once the facts are known, as phases and reading progress may come after the
  /// first picture. @return why the alignment asked for is not possible.
  std::optional<Message> settle(const Desk& desk);
  /// Changes the alignment. @return why it is not possible; then nothing changes.
  std::optional<Message> change(const Desk& desk, picture::Align align);

 private:
  std::optional<picture::Align> wanted_;
  bool is_settled_ = false;  // The initial alignment is made.
};

}  // namespace tidemark::gui
