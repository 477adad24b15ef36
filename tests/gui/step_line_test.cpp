#include "gui/view/basics/step_line.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>

using namespace tidemark;
using gui::Quad;
using picture::Point;

namespace {

using Pixels = std::multiset<std::pair<int, int>>;

Pixels pixels_of(const std::vector<Quad>& quads) {
  Pixels pixels;
  for (const Quad& quad : quads) {
    CHECK(quad.is_flat());
    for (double x = quad.left; x < quad.right; ++x) {
      for (double y = quad.left_top; y < quad.left_bottom; ++y) {
        pixels.emplace(static_cast<int>(x), static_cast<int>(y));
      }
    }
  }
  return pixels;
}

/// Steps to the right, at any place between pixels.
std::vector<Point> random_steps(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<> height(0, 100);
  std::uniform_real_distribution<> width(0.1, 7);
  std::vector<Point> points{{10, 50}};
  while (points.size() < 200) {
    points.push_back({points.back().x + width(random), points.back().y});
    points.push_back({points.back().x, height(random)});
  }
  return points;
}

}  // namespace

TEST_CASE("a level line and an upright one cover what they are wide", "[gui]") {
  const auto level = gui::step_line({{10, 20.5}, {14, 20.5}}, 1);
  const auto upright = gui::step_line({{10.5, 20}, {10.5, 23}}, 1);
  const auto thick = gui::step_line({{10, 20}, {14, 20}}, 3.2);

  REQUIRE(level);
  CHECK(pixels_of(*level) == Pixels{{10, 20}, {11, 20}, {12, 20}, {13, 20}});
  REQUIRE(upright);
  CHECK(std::ranges::includes(pixels_of(*upright), Pixels{{10, 20}, {10, 21}, {10, 22}}));
  REQUIRE(thick);
  CHECK(pixels_of(*thick).size() == 12);
}

TEST_CASE("a thin line is a pixel wide", "[gui]") {
  const auto line = gui::step_line({{10, 20.5}, {14, 20.5}}, 0.3);

  REQUIRE(line);
  CHECK(pixels_of(*line).size() == 4);
}

TEST_CASE("a stepped line has no gap, and no pixel of it is painted twice", "[gui]") {
  const auto seed = GENERATE(range(1U, 20U));
  const auto width = GENERATE(1.0, 1.2, 2.0, 3.0);
  CAPTURE(seed, width);
  const auto points = random_steps(seed);

  const auto line = gui::step_line(points, width);

  REQUIRE(line);
  const Pixels all = pixels_of(*line);
  const std::set<std::pair<int, int>> once(all.begin(), all.end());
  CHECK(once.size() == all.size());
  // Each column of pixels has one stretch that goes on beside the one before.
  for (std::size_t i = 1; i < line->size(); ++i) {
    CHECK((*line)[i].left == (*line)[i - 1].right);
    CHECK((*line)[i].left_top < (*line)[i - 1].left_bottom);
    CHECK((*line)[i].left_bottom > (*line)[i - 1].left_top);
  }
  // What is level longer than a pixel is seen at its height.
  for (std::size_t i = 1; i < points.size(); i += 2) {
    const int x = static_cast<int>(std::floor((points[i - 1].x + points[i].x) / 2));
    if (points[i].x - points[i - 1].x >= 2) {
      CHECK(once.contains({x, static_cast<int>(std::round(points[i].y - std::round(width) / 2))}));
    }
  }
}

TEST_CASE("a line that slopes or goes back is none of steps", "[gui]") {
  CHECK_FALSE(gui::step_line({}, 1));
  CHECK_FALSE(gui::step_line({{1, 1}}, 1));
  CHECK_FALSE(gui::step_line({{1, 1}, {2, 2}}, 1));
  CHECK_FALSE(gui::step_line({{1, 1}, {5, 1}, {5, 4}, {1, 4}, {1, 1}}, 1));
  CHECK_FALSE(gui::step_line({{0, 1}, {1e9, 1}}, 1));
}
