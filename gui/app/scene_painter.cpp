#include "gui/app/scene_painter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tidemark::gui {
namespace {

using plot::Point;

ImVec2 vec(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}

/// Follows one side of an x-monotone outline from left to right.
class Chain {
 public:
  Chain(const std::vector<Point>& outline, std::size_t from, std::size_t to, bool forward)
      : outline_(outline), at_(from), to_(to), forward_(forward) {
    skip_vertical(outline[from].x);
  }

  [[nodiscard]] bool is_done() const { return at_ == to_; }
  [[nodiscard]] double next_x() const { return outline_[next()].x; }
  [[nodiscard]] double y_at(double x) const {
    const Point& from = outline_[at_];
    const Point& to = outline_[next()];
    const double length = to.x - from.x;
    return length <= 0 ? to.y : from.y + (to.y - from.y) * (x - from.x) / length;
  }
  /// Goes past all edges that end at or before `x`.
  void skip_vertical(double x) {
    while (!is_done() && next_x() <= x) {
      at_ = next();
    }
  }

 private:
  [[nodiscard]] std::size_t next() const {
    const std::size_t count = outline_.size();
    return forward_ ? (at_ + 1) % count : (at_ + count - 1) % count;
  }

  const std::vector<Point>& outline_;
  std::size_t at_;
  std::size_t to_;
  bool forward_;
};

/// Adds four corners as two triangles, without the cost of smoothed edges.
class QuadSink {
 public:
  QuadSink(ImDrawList& list, ImU32 colour)
      : list_(list), colour_(colour), uv_(ImGui::GetFontTexUvWhitePixel()) {}

  void add(
      double left, double right, double left_a, double left_b, double right_a, double right_b) {
    list_.PrimReserve(6, 4);
    list_.PrimQuadUV(vec(left, left_a), vec(right, right_a), vec(right, right_b), vec(left, left_b),
                     uv_, uv_, uv_, uv_, colour_);
  }

 private:
  ImDrawList& list_;
  ImU32 colour_;
  ImVec2 uv_;
};

void fill_outline(ImDrawList& list, const std::vector<Point>& outline, ImU32 colour) {
  if (outline.size() < 3) {
    return;
  }
  const auto [left, right] = std::ranges::minmax_element(outline, {}, &Point::x);
  const auto first = static_cast<std::size_t>(left - outline.begin());
  const auto last = static_cast<std::size_t>(right - outline.begin());
  const double end = outline[last].x;
  Chain a(outline, first, last, true);
  Chain b(outline, first, last, false);
  QuadSink sink(list, colour);
  double x = outline[first].x;
  while (x < end && !a.is_done() && !b.is_done()) {
    const double to = std::min(a.next_x(), b.next_x());
    sink.add(x, to, a.y_at(x), b.y_at(x), a.y_at(to), b.y_at(to));
    x = to;
    a.skip_vertical(x);
    b.skip_vertical(x);
  }
}

void stroke_dashed(ImDrawList& list, const plot::Stroke& stroke, ImU32 colour) {
  constexpr double kDash = 5;
  constexpr double kGap = 4;
  for (std::size_t i = 1; i < stroke.points.size(); ++i) {
    const Point& from = stroke.points[i - 1];
    const Point& to = stroke.points[i];
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    for (double at = 0; at < length; at += kDash + kGap) {
      const double end = std::min(at + kDash, length);
      const auto on_line = [&](double way) {
        return vec(from.x + (to.x - from.x) * way / length,
                   from.y + (to.y - from.y) * way / length);
      };
      list.AddLine(on_line(at), on_line(end), colour, static_cast<float>(stroke.width));
    }
  }
}

class Painter {
 public:
  Painter(ImDrawList& list, const Fonts& fonts) : list_(list), fonts_(fonts) {}

  void operator()(const plot::Fill& fill) {
    fill_outline(list_, fill.outline, packed(fill.colour));
  }

  void operator()(const plot::Stroke& stroke) {
    if (stroke.dashed) {
      stroke_dashed(list_, stroke, packed(stroke.colour));
      return;
    }
    points_.clear();
    for (const Point& point : stroke.points) {
      points_.push_back(vec(point.x, point.y));
    }
    list_.AddPolyline(points_.data(), static_cast<int>(points_.size()), packed(stroke.colour),
                      ImDrawFlags_None, static_cast<float>(stroke.width));
  }

  void operator()(const plot::Label& label) {
    const ImFont& font = fonts_.best(label.size, label.bold);
    const double ascent =
        static_cast<double>(font.Ascent) * label.size / static_cast<double>(font.FontSize);
    // On whole pixels: half ones blur.
    list_.AddText(&font, static_cast<float>(label.size),
                  vec(std::round(label.baseline.x), std::round(label.baseline.y - ascent)),
                  packed(label.colour), label.text.data(), label.text.data() + label.text.size());
  }

 private:
  ImDrawList& list_;
  const Fonts& fonts_;
  std::vector<ImVec2> points_;
};

}  // namespace

ImU32 packed(const plot::Colour& colour) {
  const auto byte = [](double part) {
    return static_cast<ImU32>(std::lround(std::clamp(part, 0.0, 1.0) * 255));
  };
  return IM_COL32(byte(colour.red), byte(colour.green), byte(colour.blue), byte(colour.alpha));
}

void paint(ImDrawList& list, const plot::Scene& scene, const Fonts& fonts) {
  Painter painter(list, fonts);
  for (const auto& item : scene.items) {
    std::visit(painter, item);
  }
}

}  // namespace tidemark::gui
