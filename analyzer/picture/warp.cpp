#include "analyzer/picture/warp.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::picture {

Warp::Warp(std::vector<Knot> knots) : knots_(std::move(knots)) {}

double Warp::x_of(std::uint64_t ns) const {
  const auto after = std::ranges::upper_bound(knots_, ns, {}, &Knot::ns);
  if (after == knots_.begin()) {
    return knots_.front().x;
  }
  if (after == knots_.end()) {
    return knots_.back().x;
  }
  const Knot& from = *std::prev(after);
  const double share = static_cast<double>(ns - from.ns) / static_cast<double>(after->ns - from.ns);
  return from.x + (after->x - from.x) * share;
}

std::uint64_t Warp::ns_at(double x) const {
  const auto after = std::ranges::upper_bound(knots_, x, {}, &Knot::x);
  if (after == knots_.begin()) {
    return knots_.front().ns;
  }
  if (after == knots_.end()) {
    return knots_.back().ns;
  }
  const Knot& from = *std::prev(after);
  const double share = (x - from.x) / (after->x - from.x);
  const auto length = static_cast<double>(after->ns - from.ns);
  return std::min(after->ns, from.ns + static_cast<std::uint64_t>(std::round(length * share)));
}

std::vector<std::uint64_t> Warp::borders(std::size_t count) const {
  const auto all = static_cast<double>(count);
  // A trace that ends on a border does not reach into the column behind it.
  const double reached = std::ceil(knots_.back().x * all - 1e-9);
  const auto columns = static_cast<std::size_t>(std::clamp(reached, 1.0, all));
  std::vector<std::uint64_t> borders;
  borders.reserve(columns + 1);
  for (std::size_t c = 0; c < columns; ++c) {
    borders.push_back(ns_at(static_cast<double>(c) / all));
  }
  borders.front() = knots_.front().ns;
  borders.push_back(knots_.back().ns);
  return borders;
}

std::size_t column_of(const std::vector<std::uint64_t>& borders, std::uint64_t ns) {
  const auto after = std::ranges::upper_bound(borders, ns);
  const auto passed = static_cast<std::size_t>(after - borders.begin());
  return std::clamp<std::size_t>(passed, 1, borders.size() - 1) - 1;
}

}  // namespace tidemark::picture
