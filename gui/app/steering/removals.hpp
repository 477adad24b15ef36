/// Takes what is unticked away from the traces.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"

#include <array>
#include <optional>
#include <vector>

namespace tidemark::gui {

class Removals {
 public:
  /// Call in each frame. @return true if what is unticked changed, or a trace's facts came or
  /// changed. Only then it costs time.
  bool take_away(const Desk& desk);

 private:
  /// What was last taken away from a trace, and the facts this was based on.
  struct Taken {
    const TraceFacts* facts = nullptr;
    std::vector<Unticked> unticked;
  };
  std::array<Taken, 2> taken_;
};

/// Unticks the chosen trace's ticked finding that lowers the peak most. @return why there is none.
std::optional<Message> untick_next(const Desk& desk);

}  // namespace tidemark::gui
