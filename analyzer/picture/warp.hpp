/// Where the instants of one trace are on the picture's horizontal axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::picture {

/// The part of the axis that is in view, in shares of it: 0 to 1 is all of it. Invariant:
/// 0 <= begin < end <= 1.
struct AxisRange {
  double begin = 0;
  double end = 1;

  [[nodiscard]] double width() const { return end - begin; }
  /// Where a place on the axis is in view: 0 at the left edge, 1 at the right one.
  [[nodiscard]] double share_of(double x) const { return (x - begin) / width(); }
  [[nodiscard]] double x_at(double share) const { return begin + share * width(); }
  bool operator==(const AxisRange&) const = default;
};

/// Piecewise linear. x runs from 0 to 1 over the axis; a trace may end before 1.
class Warp {
 public:
  struct Knot {
    double x = 0;
    std::uint64_t ns = 0;
  };

  /// Neither x nor ns may decrease; the last knot is the trace's end. At least two knots.
  explicit Warp(std::vector<Knot> knots);

  /// If several x show one instant: the last of them.
  [[nodiscard]] double x_of(std::uint64_t ns) const;
  /// If several instants are at one x: the last of them.
  [[nodiscard]] std::uint64_t ns_at(double x) const;

  /// In order; x and ns are linear between two of them.
  [[nodiscard]] const std::vector<Knot>& knots() const { return knots_; }

  /// Time borders of the columns when the axis is cut into `count` of equal width: column c covers
  /// [borders[c], borders[c + 1]). As many as the trace reaches into, one at least.
  [[nodiscard]] std::vector<std::uint64_t> borders(std::size_t count) const;

 private:
  std::vector<Knot> knots_;
};

/// The column that shows an instant. Instants outside are in the first or in the last one.
std::size_t column_of(const std::vector<std::uint64_t>& borders, std::uint64_t ns);

}  // namespace tidemark::picture
