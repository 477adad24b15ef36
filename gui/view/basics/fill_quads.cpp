#include "gui/view/basics/fill_quads.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tidemark::gui {
namespace {

using picture::Point;

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

/// Takes slices from left to right. Flat slices on the same ground form a histogram, which is cut
/// into bands, each as wide as the heights allow.
class QuadMaker {
 public:
  void add(const Quad& slice) {
    if (!slice.is_flat()) {
      close();
      quads_.push_back(slice);
      return;
    }
    const double top = std::round(slice.left_top);
    const double ground = std::round(slice.left_bottom);
    if (top >= ground) {
      close();
      return;
    }
    if (!steps_.empty() && (ground != ground_ || slice.left != right_)) {
      close();
    }
    ground_ = ground;
    close_above(top, slice.left);
    right_ = slice.right;
  }

  std::vector<Quad> take() {
    close();
    return std::move(quads_);
  }

 private:
  /// From `left` on, the histogram is at least as high as `top`.
  struct Step {
    double left;
    double top;
  };

  void close() {
    while (!steps_.empty()) {
      const Step step = steps_.back();
      steps_.pop_back();
      band(step.left, right_, step.top, below());
    }
  }

  /// Ends the bands above `top` at `x`, and begins one if none reaches `top`.
  void close_above(double top, double x) {
    double left = x;
    while (!steps_.empty() && steps_.back().top < top) {
      const Step step = steps_.back();
      steps_.pop_back();
      left = step.left;
      band(step.left, x, step.top, std::min(below(), top));
      if (below() > top) {
        break;
      }
    }
    if (steps_.empty() || steps_.back().top > top) {
      steps_.push_back({left, top});
    }
  }

  [[nodiscard]] double below() const { return steps_.empty() ? ground_ : steps_.back().top; }

  void band(double left, double right, double top, double bottom) {
    quads_.push_back({left, right, top, bottom, top, bottom});
  }

  std::vector<Quad> quads_;
  std::vector<Step> steps_;  // Each higher than the one before it.
  double ground_ = 0;
  double right_ = 0;  // End of the last slice.
};

Quad slice_between(const Chain& a, const Chain& b, double left, double right) {
  const double left_a = a.y_at(left);
  const double left_b = b.y_at(left);
  const double right_a = a.y_at(right);
  const double right_b = b.y_at(right);
  return {left,
          right,
          std::min(left_a, left_b),
          std::max(left_a, left_b),
          std::min(right_a, right_b),
          std::max(right_a, right_b)};
}

}  // namespace

std::vector<Quad> quads_of(const std::vector<Point>& outline) {
  if (outline.size() < 3) {
    return {};
  }
  const auto [left, right] = std::ranges::minmax_element(outline, {}, &Point::x);
  const auto first = static_cast<std::size_t>(left - outline.begin());
  const auto last = static_cast<std::size_t>(right - outline.begin());
  const double end = outline[last].x;
  Chain a(outline, first, last, true);
  Chain b(outline, first, last, false);
  QuadMaker maker;
  double x = outline[first].x;
  while (x < end && !a.is_done() && !b.is_done()) {
    const double to = std::min(a.next_x(), b.next_x());
    maker.add(slice_between(a, b, x, to));
    x = to;
    a.skip_vertical(x);
    b.skip_vertical(x);
  }
  return maker.take();
}

}  // namespace tidemark::gui
