#include "gui/view/basics/fill_quads.hpp"

#include "analyzer/picture/panel.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>

using namespace tidemark;
using gui::Quad;

namespace {

constexpr double kGround = 200;
constexpr picture::Box kBox{10, 0, 300, kGround};

/// How many pieces cover the middle of a pixel.
int pieces_over(const std::vector<Quad>& quads, double x, double y) {
  return static_cast<int>(std::ranges::count_if(quads, [&](const Quad& quad) {
    return x >= quad.left && x < quad.right && y >= quad.left_top && y < quad.left_bottom;
  }));
}

std::vector<double> random_heights(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::vector<double> heights;
  for (std::size_t c = 0; c < count; ++c) {
    heights.push_back(std::uniform_real_distribution<>(0, kGround)(random));
  }
  return heights;
}

}  // namespace

TEST_CASE("each pixel below a stepped edge is covered once, no other one is", "[gui]") {
  const auto seed = GENERATE(range(1U, 20U));
  CAPTURE(seed);
  const auto heights = random_heights(seed, 300);
  const auto edge = picture::steps(kBox, heights.size(), [&](std::size_t c) { return heights[c]; });

  const auto quads = gui::quads_of(picture::closed(edge, kGround));

  CHECK(quads.size() <= heights.size());
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < heights.size(); ++c) {
    for (double y = 0.5; y < kGround; y += 1) {
      const double x = kBox.x + static_cast<double>(c) + 0.5;
      wrong += pieces_over(quads, x, y) == (y > std::round(heights[c]) ? 1 : 0) ? 0U : 1U;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("what stands on the same ground is one piece up to the lowest of it", "[gui]") {
  auto heights = std::vector<double>(300, 50);
  heights[120] = 20;  // A spike of one column.

  const auto quads = gui::quads_of(picture::closed(
      picture::steps(kBox, heights.size(), [&](std::size_t c) { return heights[c]; }), kGround));

  REQUIRE(quads.size() == 2);
  const auto widest =
      std::ranges::max_element(quads, {}, [](const Quad& quad) { return quad.right - quad.left; });
  CHECK(widest->right - widest->left == 300);
  CHECK(widest->left_top == 50);
  const Quad& spike = quads[widest == quads.begin() ? 1 : 0];
  CHECK(spike.left == 130);
  CHECK(spike.right == 131);
  CHECK(spike.left_top == 20);
  CHECK(spike.left_bottom == 50);
}

TEST_CASE("a sloped outline keeps its corners", "[gui]") {
  const auto quads = gui::quads_of({{0, 5}, {5, 0.25}, {10, 5}, {5, 9.75}});

  REQUIRE(quads.size() == 2);
  CHECK(quads[0].left_top == Approx(5));
  CHECK(quads[0].right_top == Approx(0.25));
  CHECK(quads[0].right_bottom == Approx(9.75));
  CHECK(quads[1].right == 10);
}

TEST_CASE("no area, no pieces", "[gui]") {
  CHECK(gui::quads_of({}).empty());
  CHECK(gui::quads_of({{0, 0}, {10, 0}}).empty());
  CHECK(gui::quads_of({{0, 7}, {10, 7}, {10, 7.2}, {0, 7.2}}).empty());
}
