/// What is unticked is taken away of the traces.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"

#include <array>
#include <optional>
#include <vector>

namespace tidemark::gui {

class Removals {
 public:
  /// Once a frame. It costs something only after a change of what is unticked, and where a trace
  /// has become known or has grown: @return true then.
  bool take_away(const Desk& desk);

 private:
  /// What was taken away of a trace last, and of which facts.
  struct Taken {
    const TraceFacts* facts = nullptr;
    std::vector<Unticked> unticked;
  };
  std::array<Taken, 2> taken_;
};

/// Unticks the finding of the chosen trace that lowers the peak most. @return why there is none.
std::optional<Message> untick_next(const Desk& desk);

}  // namespace tidemark::gui
