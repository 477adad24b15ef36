/// The fonts of the window.
#pragma once

#include "analyzer/picture/drawing/pen.hpp"
#include "analyzer/picture/drawing/shapes.hpp"

#include <vector>

#include <imgui.h>

namespace tidemark::gui {

/// DejaVu Sans at the sizes used, so that letters are sharp; ImGui's own font if it is not
/// installed.
class Fonts {
 public:
  /// Fills the current ImGui context's atlas.
  explicit Fonts(const picture::Type& type);

  /// The font whose letters need the least scaling.
  [[nodiscard]] const ImFont& best(double size, bool bold) const;
  /// For widgets.
  [[nodiscard]] ImFont* text() const { return faces_.front().font; }
  [[nodiscard]] ImFont* title() const { return title_; }
  /// Measures text as drawn with `best`. Borrows this.
  [[nodiscard]] picture::MeasureText measure() const;

 private:
  struct Face {
    ImFont* font = nullptr;
    double size = 0;
    bool bold = false;
  };
  void add(const char* file, double size, bool bold);

  std::vector<Face> faces_;
  ImFont* title_ = nullptr;
};

}  // namespace tidemark::gui
