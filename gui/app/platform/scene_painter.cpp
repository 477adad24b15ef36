#include "gui/app/platform/scene_painter.hpp"

#include "gui/view/basics/fill_quads.hpp"
#include "gui/view/basics/step_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace tidemark::gui {
namespace {

using picture::Point;

ImVec2 vec(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}

/// Adds two triangles per quad, without the cost of anti-aliasing.
void add_quads(ImDrawList& list, const std::vector<Quad>& quads, ImU32 colour) {
  const ImVec2 uv = ImGui::GetFontTexUvWhitePixel();
  for (const Quad& quad : quads) {
    list.PrimReserve(6, 4);
    list.PrimQuadUV(vec(quad.left, quad.left_top), vec(quad.right, quad.right_top),
                    vec(quad.right, quad.right_bottom), vec(quad.left, quad.left_bottom), uv, uv,
                    uv, uv, colour);
  }
}

class Painter {
 public:
  Painter(ImDrawList& list, const Fonts& fonts) : list_(list), fonts_(fonts) {}

  void operator()(const picture::Fill& fill) {
    add_quads(list_, quads_of(fill.outline), packed(fill.colour));
  }

  void operator()(const picture::Stroke& stroke) {
    if (!stroke.dashed) {
      line(stroke.points, stroke);
      return;
    }
    for (std::size_t i = 1; i < stroke.points.size(); ++i) {
      dashes(stroke.points[i - 1], stroke.points[i], stroke);
    }
  }

  void operator()(const picture::Label& label) {
    const ImFont& font = fonts_.best(label.size, label.bold);
    const double ascent =
        static_cast<double>(font.Ascent) * label.size / static_cast<double>(font.FontSize);
    // At whole pixels: fractions blur.
    list_.AddText(&font, static_cast<float>(label.size),
                  vec(std::round(label.baseline.x), std::round(label.baseline.y - ascent)),
                  packed(label.colour), label.text.data(), label.text.data() + label.text.size());
  }

 private:
  void line(const std::vector<Point>& points, const picture::Stroke& stroke) {
    if (const auto steps = step_line(points, stroke.width)) {
      add_quads(list_, *steps, packed(stroke.colour));
      return;
    }
    points_.clear();
    for (const Point& point : points) {
      const ImVec2 next = vec(point.x, point.y);
      // A piece without length has no direction: its corners would stick out.
      if (points_.empty() || points_.back().x != next.x || points_.back().y != next.y) {
        points_.push_back(next);
      }
    }
    list_.AddPolyline(points_.data(), static_cast<int>(points_.size()), packed(stroke.colour),
                      ImDrawFlags_None, static_cast<float>(stroke.width));
  }

  void dashes(const Point& from, const Point& to, const picture::Stroke& stroke) {
    constexpr double kDash = 5;
    constexpr double kGap = 4;
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    const auto on_line = [&](double way) {
      return Point{from.x + (to.x - from.x) * way / length,
                   from.y + (to.y - from.y) * way / length};
    };
    for (double at = 0; at < length; at += kDash + kGap) {
      line({on_line(at), on_line(std::min(at + kDash, length))}, stroke);
    }
  }

  ImDrawList& list_;
  const Fonts& fonts_;
  std::vector<ImVec2> points_;
};

}  // namespace

ImU32 packed(const picture::Colour& colour) {
  const auto byte = [](double part) {
    return static_cast<ImU32>(std::lround(std::clamp(part, 0.0, 1.0) * 255));
  };
  return IM_COL32(byte(colour.red), byte(colour.green), byte(colour.blue), byte(colour.alpha));
}

void paint(ImDrawList& list, const picture::Scene& scene, const Fonts& fonts) {
  Painter painter(list, fonts);
  for (const auto& item : scene.items) {
    std::visit(painter, item);
  }
}

}  // namespace tidemark::gui
