/// A flame graph with pointer input: the wheel scrolls, a click zooms.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/trees/flame_picture.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::gui {

class FlameView {
 public:
  /// Draws into the rest of the current ImGui child.
  /// @param input focus, hovered and scrolled are set here.
  /// @param outlined the node to highlight while none is pointed at.
  /// @return the node that is pointed at.
  std::optional<std::uint32_t> show(const Desk& desk,
                                    FlameInput input,
                                    std::optional<std::uint32_t> outlined = {});
  /// Shows the whole tree again; call when it is another tree.
  void reset() { focus_ = 0; }

 private:
  std::uint32_t focus_ = 0;
  std::optional<std::uint32_t> hovered_;
  double scrolled_ = 0;
};

}  // namespace tidemark::gui
