/// Paints large opaque areas without texture and blending. With software OpenGL, ImGui's own
/// program costs a texture lookup and a blend for each pixel.
#pragma once

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

  /// What is added to the list between `begin` and `end` is painted with this program.
  void begin(ImDrawList& list);
  static void end(ImDrawList& list);
  /// The same for one draw call of a list that is complete.
  void add(ImVector<ImDrawCmd>& commands, const ImDrawCmd& call);

 private:
  static void switch_on(const ImDrawList* list, const ImDrawCmd* command);
  void use();
  void link();

  unsigned int program_ = 0;  // 0: not made yet, or failed.
  int projection_ = -1;
  bool is_tried_ = false;
};

}  // namespace tidemark::gui
