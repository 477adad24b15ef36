#include "gui/view/basics/draw_order.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace tidemark;
using gui::DrawBatch;
using gui::DrawnShape;
using gui::PixelKind;

namespace {

constexpr int kWidth = 90;
constexpr int kHeight = 70;

std::vector<DrawBatch> batches_of(const std::vector<DrawnShape>& shapes) {
  return gui::DrawOrder().batches_of(shapes, kWidth, kHeight);
}

std::vector<DrawnShape> random_shapes(unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  std::vector<DrawnShape> shapes;
  for (int i = 0; i < count; ++i) {
    const int left = below(kWidth);
    const int top = below(kHeight);
    const int reach = below(8) == 0 ? 60 : 9;
    shapes.push_back(
        {.first_index = static_cast<std::uint32_t>(3 * i),
         .left = static_cast<std::uint16_t>(left),
         .top = static_cast<std::uint16_t>(top),
         .right = static_cast<std::uint16_t>(std::min(left + 1 + below(reach), kWidth)),
         .bottom = static_cast<std::uint16_t>(std::min(top + 1 + below(reach), kHeight)),
         .call = static_cast<std::uint16_t>(below(2)),
         .kind = static_cast<PixelKind>(below(3)),
         .is_rectangle = below(2) == 0});
  }
  return shapes;
}

/// What is painted on each pixel, from below.
std::map<std::pair<int, int>, std::vector<std::uint32_t>> painted(
    const std::vector<DrawnShape>& shapes) {
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> pixels;
  for (const DrawnShape& shape : shapes) {
    for (int x = shape.left; x < shape.right; ++x) {
      for (int y = shape.top; y < shape.bottom; ++y) {
        pixels[{x, y}].push_back(shape.first_index);
      }
    }
  }
  return pixels;
}

/// The shapes in the order of the batches.
std::vector<DrawnShape> drawn(const std::vector<DrawnShape>& shapes,
                              const std::vector<DrawBatch>& batches) {
  std::map<std::uint32_t, DrawnShape> known;
  for (const DrawnShape& shape : shapes) {
    known[shape.first_index] = shape;
  }
  std::vector<DrawnShape> all;
  for (const DrawBatch& batch : batches) {
    for (const std::uint32_t first : batch.first_indices) {
      all.push_back(known.at(first));
      CHECK(all.back().call == batch.call);
      CHECK(all.back().kind == batch.kind);
      CHECK(all.back().is_rectangle == batch.has_rectangles);
    }
  }
  return all;
}

/// A row of a table: its stripe, a box to tick, and the name behind it.
void add_row(std::vector<DrawnShape>& shapes, int row) {
  const auto add = [&](int left, int top, int right, int bottom, PixelKind kind,
                       bool is_rectangle) {
    shapes.push_back({static_cast<std::uint32_t>(shapes.size()), static_cast<std::uint16_t>(left),
                      static_cast<std::uint16_t>(17 * row + top), static_cast<std::uint16_t>(right),
                      static_cast<std::uint16_t>(17 * row + bottom), 0, kind, is_rectangle});
  };
  add(0, 0, kWidth, 17, PixelKind::kOpaque, true);
  add(4, 2, 15, 13, PixelKind::kBlended, false);
  add(18, 3, 60, 13, PixelKind::kTextured, true);
}

}  // namespace

TEST_CASE("in another order, shapes paint the same picture", "[gui]") {
  const auto seed = GENERATE(range(1U, 30U));
  CAPTURE(seed);
  const auto shapes = random_shapes(seed, 300);

  const auto batches = batches_of(shapes);

  const auto all = drawn(shapes, batches);
  CHECK(all.size() == shapes.size());
  CHECK(painted(all) == painted(shapes));
  CHECK(batches.size() < shapes.size());
}

TEST_CASE("with more batches than are told apart, shapes paint the same picture", "[gui]") {
  std::vector<DrawnShape> shapes = random_shapes(7, 2'000);
  for (DrawnShape& shape : shapes) {  // Each lies on the one before it.
    shape.left = 0;
    shape.right = kWidth;
  }

  const auto batches = batches_of(shapes);

  CHECK(batches.size() > 600);
  CHECK(painted(drawn(shapes, batches)) == painted(shapes));
}

TEST_CASE("a table takes no more batches than one of its rows", "[gui]") {
  std::vector<DrawnShape> shapes;
  for (int row = 0; row < kHeight / 17; ++row) {
    add_row(shapes, row);
  }

  const auto batches = batches_of(shapes);

  CHECK(shapes.size() == 12);
  CHECK(batches.size() == 3);
}

TEST_CASE("a batch has no more rectangles than are drawn in whole pairs of triangles", "[gui]") {
  std::vector<DrawnShape> shapes;
  for (std::uint32_t i = 0; i < 400; ++i) {
    shapes.push_back({.first_index = 6 * i, .right = 9, .bottom = 9, .is_rectangle = true});
  }

  const auto batches = batches_of(shapes);

  REQUIRE(batches.size() == 3);
  CHECK(batches[0].first_indices.size() == 170);
  CHECK(batches[1].first_indices.size() == 170);
  CHECK(batches[2].first_indices.size() == 60);
  CHECK(painted(drawn(shapes, batches)) == painted(shapes));
}

TEST_CASE("what lies on nothing of another draw call is still not joined with it", "[gui]") {
  const auto batches =
      batches_of({{.right = 9, .bottom = 9},
                  {.first_index = 3, .left = 20, .right = 29, .bottom = 9, .call = 1},
                  {.first_index = 6, .left = 40, .right = 49, .bottom = 9}});

  REQUIRE(batches.size() == 2);
  CHECK(batches[0].first_indices == std::vector<std::uint32_t>{0, 6});
  CHECK(batches[1].first_indices == std::vector<std::uint32_t>{3});
}
