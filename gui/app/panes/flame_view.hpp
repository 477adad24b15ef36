/// A flame graph that answers to the pointer: the wheel scrolls, a click zooms.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/trees/flame_picture.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::gui {

class FlameView {
 public:
  /// Into the rest of the current ImGui child. `input` without focus, hovered and scrolled.
  /// `outlined`: the node that stands out while none is pointed at.
  /// @return the node that is pointed at.
  std::optional<std::uint32_t> show(const Desk& desk,
                                    FlameInput input,
                                    std::optional<std::uint32_t> outlined = {});
  /// The whole tree again: it is another one.
  void reset() { focus_ = 0; }

 private:
  std::uint32_t focus_ = 0;
  std::optional<std::uint32_t> hovered_;
  double scrolled_ = 0;
};

}  // namespace tidemark::gui
