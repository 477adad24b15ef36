/// The ways through a recording that need no pointer.
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
  kBehindPeak,  ///< The peak, with the time behind it as the chosen range.
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
  /// Once a frame: a range at which the view has come to rest can be gone back to.
  void keep_range(const Desk& desk);
  /// @return why there is no way there; none of a move that just ends where the axis does.
  std::optional<Message> go(const Desk& desk, Move move);

 private:
  RangeHistory history_;
};

/// An instant of the axis: in view, as wide as what is in view, and pointed out.
void look_at(const Desk& desk, double x);

/// The same of an instant of the chosen trace. The peak is what is shown where none is pointed out.
void look_at_ns(const Desk& desk, std::uint64_t at_ns);

}  // namespace tidemark::gui
