/// Moves through a recording without the pointer.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"
#include "gui/view/basics/range_history.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::gui {

enum class Move : std::uint8_t {
  kWhole,
  kPeak,
  kBehindPeak,  ///< The peak, with the time after it as the chosen range, both in view.
  kBack,
  kForward,
  kLeft,
  kRight,
  kWindowLeft,
  kWindowRight,
  kZoomIn,
  kZoomOut,
  kZoomSizesIn,
  kZoomSizesOut,
  kNoteBefore,
  kNoteBehind
};

class Navigation {
 public:
  /// Call in each frame: remembers a range at which the view has come to rest, to go back to.
  void keep_range(const Desk& desk);
  /// @return why the move is not possible; none if it merely stops at the end of the axis.
  std::optional<Message> go(const Desk& desk, Move move);

 private:
  RangeHistory history_;
};

/// Chooses an instant on the axis and brings it into view at the same zoom.
void look_at(const Desk& desk, double x);

/// The same for an instant of the chosen trace. For the peak, resets the choice: without a chosen
/// instant the peak is shown.
void look_at_ns(const Desk& desk, std::uint64_t at_ns);

}  // namespace tidemark::gui
