/// ImGui's draw lists, so that software OpenGL draws them faster.
#pragma once

#include "gui/app/platform/flat_program.hpp"
#include "gui/view/basics/draw_order.hpp"

#include <vector>

#include <imgui.h>

namespace tidemark::gui {

/// Joins what needs the same program and clip rectangle, and leaves out what is clipped away. The
/// picture stays the same. The OpenGL context must be current whenever this is used or destroyed.
class ListReorderer {
 public:
  /// The lists must have no callbacks.
  void reorder(ImDrawData& data);

 private:
  void reorder(ImDrawList& list, const ImVec2& size);
  void add(const ImDrawList& list, const ImDrawCmd& command, const ImVec2& size);

  FlatProgram program_;
  DrawOrder order_;
  std::vector<ImDrawCmd> calls_;  ///< Each state of the list once.
  std::vector<DrawnShape> shapes_;
};

}  // namespace tidemark::gui
