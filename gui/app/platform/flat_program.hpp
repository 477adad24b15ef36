/// Paints without a texture, and what is opaque without blending. With software OpenGL, ImGui's own
/// program costs a texture lookup and a blend for each pixel.
#pragma once

#include "gui/view/basics/draw_order.hpp"

#include <imgui.h>

namespace tidemark::gui {

/// An OpenGL program that paints ImGui's vertices in their own colour. The OpenGL context must be
/// current whenever it is used, made or destroyed.
class FlatProgram {
 public:
  FlatProgram() = default;
  FlatProgram(const FlatProgram&) = delete;
  FlatProgram& operator=(const FlatProgram&) = delete;
  ~FlatProgram();

  /// @return a command for a list: those after it paint pixels of this kind, with ImGui's program
  /// again where they have a texture.
  ImDrawCmd switch_to(PixelKind kind);

 private:
  static void use_opaque(const ImDrawList* list, const ImDrawCmd* command);
  static void use_blended(const ImDrawList* list, const ImDrawCmd* command);
  static void use_textured(const ImDrawList* list, const ImDrawCmd* command);
  void use();
  void link();

  unsigned int program_ = 0;  // 0: not made yet, or failed.
  unsigned int imgui_ = 0;
  int projection_ = -1;
  bool is_tried_ = false;
};

}  // namespace tidemark::gui
