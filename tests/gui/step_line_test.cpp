#include "gui/view/basics/step_line.hpp"

#include "gui/view/basics/draw_runs.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <utility>

using namespace tidemark;
using gui::DrawRun;
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

/// The indices of so many rectangles.
void add_rectangles(std::vector<std::uint16_t>& indices, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = static_cast<std::uint16_t>(4 * i);
    for (const int corner : {0, 1, 2, 0, 2, 3}) {
      indices.push_back(static_cast<std::uint16_t>(first + corner));
    }
  }
}

std::vector<DrawRun> runs_of(const std::vector<std::uint16_t>& indices) {
  return gui::draw_runs(std::span<const std::uint16_t>(indices));
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

TEST_CASE("rectangles are drawn in whole pairs of triangles, and all is drawn once", "[gui]") {
  std::vector<std::uint16_t> indices{0, 1, 2};
  add_rectangles(indices, 400);
  indices.insert(indices.end(), {7, 9, 8, 1, 2, 3});
  add_rectangles(indices, 2);  // Too few for a run.
  indices.insert(indices.end(), {5, 6, 9});
  add_rectangles(indices, 20);

  const auto runs = runs_of(indices);

  std::size_t next = 0;
  for (const DrawRun& run : runs) {
    CHECK(run.begin == next);
    next += run.count;
  }
  CHECK(next == indices.size());
  CHECK(runs == std::vector<DrawRun>{
                    {0, 3}, {3, 1020}, {1023, 1020}, {2043, 360}, {2403, 6 + 12 + 3}, {2424, 120}});
}

TEST_CASE("large plain rectangles in a row are drawn apart, and all else as without them",
          "[gui]") {
  std::vector<std::uint16_t> indices;
  add_rectangles(indices, 40);
  // Six of 3,000 pixels are worth it; three of them, or any number of small ones, are not.
  const auto pixels = [](std::span<const std::uint16_t> six) {
    const int rectangle = six[0] / 4;
    return (rectangle >= 10 && rectangle < 16) || rectangle >= 37 ? 3'000.0
           : rectangle >= 20 && rectangle < 34                    ? 1'000.0
                                                                  : 0.0;
  };

  const auto runs = gui::draw_runs(std::span<const std::uint16_t>(indices), pixels);

  CHECK(runs == std::vector<DrawRun>{{0, 60}, {60, 36, true}, {96, 144}});
}

TEST_CASE("what has no rectangles is drawn as it was", "[gui]") {
  CHECK(runs_of({}).empty());
  CHECK(runs_of({0, 1, 2, 2, 1, 3}) == std::vector<DrawRun>{{0, 6}});
}
