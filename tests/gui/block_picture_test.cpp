#include "gui/view/blocks/block_picture.hpp"

#include "analyzer/tensors/block_contents.hpp"
#include "gui/view/blocks/block_hill.hpp"
#include "gui/view/blocks/block_hill_picture.hpp"
#include "gui/view/blocks/block_stack.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/gui/gathered_blocks.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

using namespace tidemark;
using gui::BlockList;
using gui::BlockStack;
using tests::borders;
using tests::check_invariants;
using tests::gathered;

namespace {

/// All blocks of the first 800 us, which have the same name, a pixel a microsecond.
picture::Scene drawn_blocks(analyzer::LoadedTrace& trace,
                            const BlockList& list,
                            const std::string& name) {
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene{.width = 900, .height = 400, .background = {}, .items = {}};
  const auto columns_borders = borders(800'000, 800);
  const BlockStack stack = gui::stack_blocks(list, columns_borders, 1);
  const auto columns = picture::stacked_columns(trace, columns_borders);
  gui::draw_blocks(scene,
                   {.list = &list,
                    .stack = &stack,
                    .columns = &columns,
                    .highest = 4000,
                    .name =
                        [&name](const gui::LongBlock&) {
                          return gui::BlockName{name, {}, picture::light_theme().more};
                        },
                    .hovered = {}},
                   {80, 10, 800, 380}, look);
  return scene;
}

/// Those of the labels in a picture that begin so.
std::vector<std::string> labels_of(const picture::Scene& scene, const std::string& beginning) {
  std::vector<std::string> labels;
  for (const auto& item : scene.items) {
    const auto* const label = std::get_if<picture::Label>(&item);
    if (label != nullptr && label->text.starts_with(beginning)) {
      labels.push_back(label->text);
    }
  }
  return labels;
}

}  // namespace

TEST_CASE("labels in the picture of the blocks do not overlap", "[gui]") {
  tests::TraceBuilder builder;
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < 40; ++i) {
    blocks.push_back(builder.at_ns(1000 * (10 * i + 1)).allocate(i % 5 == 0 ? 400 : 20));
  }
  for (const auto block : blocks) {
    builder.at_ns(1000 * (400 + 10 * block)).release(block);
  }
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  scene.width = 900;
  scene.height = 400;
  const picture::Box place{80, 10, 800, 380};
  const auto columns_borders = borders(800'000, 800);
  const BlockStack stack = gui::stack_blocks(list, columns_borders, 1);
  const auto columns = picture::stacked_columns(trace, columns_borders);

  gui::draw_blocks(scene,
                   {.list = &list,
                    .stack = &stack,
                    .columns = &columns,
                    .highest = 4000,
                    .name =
                        [](const gui::LongBlock&) {
                          return gui::BlockName{"load", {}, picture::light_theme().more};
                        },
                    .hovered = {}},
                   place, look);

  check_invariants(stack);
  tests::check_readable(scene);
}

TEST_CASE("what low blocks are called together hides no label of a block among them", "[gui]") {
  tests::TraceBuilder builder;
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < 11; ++i) {
    blocks.push_back(builder.at_ns(300'000 + i).allocate(i == 5 ? 300 : 60));
  }
  for (const auto block : blocks) {
    builder.at_ns(600'000 + block).release(block);
  }
  builder.at_ns(800'000).allocate(1);
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  const picture::Scene scene = drawn_blocks(trace, list, "constructs_a_buffer");

  tests::check_readable(scene);
  CHECK(labels_of(scene, "constructs_a_buffer").size() == 2);
}

TEST_CASE("blocks beside each other that are too narrow for a name have one together", "[gui]") {
  tests::TraceBuilder builder;
  // One after the other, 20 pixels each, as a block that is resized again and again is drawn.
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto block = builder.at_ns(200'000 + 20'000 * i).allocate(2000 + 10 * i);
    builder.at_ns(220'000 + 20'000 * i).release(block);
  }
  builder.at_ns(800'000).allocate(1);
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  const picture::Scene scene = drawn_blocks(trace, list, "expand_by");

  tests::check_readable(scene);
  CHECK(labels_of(scene, "expand_by") == std::vector<std::string>{"expand_by  up to 2.14 KiB"});
}

TEST_CASE("small blocks are named where there is room, if not where they are most", "[gui]") {
  // Most for ten columns, on a ground of its own; behind that nearly as much for a long time.
  gui::Hill hill;
  hill.bands.colours.resize(1);
  hill.names = {"load"};
  std::vector<std::uint64_t> heights;
  for (std::size_t c = 0; c < 600; ++c) {
    const bool is_most = c >= 100 && c < 110;
    hill.bands.highest.push_back(c < 100 ? 10 : is_most ? 1000 : 900);
    heights.push_back(is_most ? 1000 : 200);
  }
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene{.width = 700, .height = 400, .background = {}, .items = {}};
  picture::Pen pen(scene, look.measure);
  const picture::Box place{80, 10, 600, 380};

  gui::draw_hill(pen, hill, {heights, 2000, place, look});

  std::vector<std::string> names;
  for (const auto& item : scene.items) {
    if (const auto* const label = std::get_if<picture::Label>(&item)) {
      names.push_back(label->text);
      CHECK(label->box.x > place.x + 110);
    }
  }
  CHECK(names == std::vector<std::string>{"load  900 B"});
}

TEST_CASE("the texts of arrows hide neither each other, nor a label, nor an arrow", "[gui]") {
  tests::TraceBuilder builder;
  const auto source = builder.at_ns(1000).allocate(2000);
  std::vector<std::uint64_t> copies;
  for (std::uint64_t i = 0; i < 6; ++i) {
    copies.push_back(builder.at_ns(100'000 + 12'000 * i).allocate(250));
  }
  builder.at_ns(800'000).begin_phase("end");
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  scene.width = 900;
  scene.height = 400;
  const auto columns_borders = borders(800'000, 800);
  const BlockStack stack = gui::stack_blocks(list, columns_borders, 1);
  const auto columns = picture::stacked_columns(trace, columns_borders);
  std::vector<gui::BlockArrow> arrows{
      {.from = {}, .to = source, .first = 20, .last = 20, .text = "2000 B from weights.bin"}};
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const double column = 101 + 12 * static_cast<double>(i);
    arrows.push_back(
        {.from = source, .to = copies[i], .first = column, .last = column, .text = "250 B copied"});
  }

  gui::draw_blocks(scene,
                   {.list = &list,
                    .stack = &stack,
                    .columns = &columns,
                    .highest = 4000,
                    .name =
                        [](const gui::LongBlock&) {
                          return gui::BlockName{"load_all_of_it", {}, picture::light_theme().more};
                        },
                    .hovered = source,
                    .arrows = arrows},
                   {80, 10, 800, 380}, look);

  tests::check_readable(scene);
  const auto labels = tests::labels_of(scene);
  CHECK(std::ranges::count(labels, "250 B copied", &picture::Label::text) >= 2);
  CHECK(tests::has_label(scene, "2000 B from weights.bin"));
  CHECK(tests::has_label(scene, "load_all_of_it  1.95 KiB"));
  // The shafts are the upright strokes.
  std::size_t shafts = 0;
  for (const auto& item : scene.items) {
    const auto* const stroke = std::get_if<picture::Stroke>(&item);
    if (stroke == nullptr || stroke->part != picture::Part::kLegend) {
      continue;
    }
    ++shafts;
    const auto [low, high] = std::minmax(stroke->points[0].y, stroke->points[1].y);
    for (const picture::Label& label : labels) {
      CAPTURE(label.text);
      const bool is_crossed = stroke->points[0].x > label.box.x &&
                              stroke->points[0].x < label.box.right() && low < label.box.bottom() &&
                              high > label.box.y;
      CHECK_FALSE(is_crossed);
    }
  }
  CHECK(shafts == 2 * arrows.size());  // With its lining.
}

TEST_CASE("of a bundle the block that is pointed at has the edge, the others stand out mildly",
          "[gui]") {
  tests::TraceBuilder builder;
  const auto stack = builder.stack({"malloc", "load", "main"});
  std::vector<std::uint64_t> small;
  for (int i = 0; i < 100; ++i) {
    small.push_back(builder.at_ns(1000).allocate(10, stack));
  }
  builder.at_ns(800'000).begin_phase("end");
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  const auto columns_borders = borders(800'000, 800);
  const BlockStack stacked = gui::stack_blocks(list, columns_borders, 100);
  REQUIRE(stacked.shapes.size() == 1);
  const auto columns = picture::stacked_columns(trace, columns_borders);

  gui::draw_blocks(scene,
                   {.list = &list,
                    .stack = &stacked,
                    .columns = &columns,
                    .highest = 1000,
                    .name =
                        [](const gui::LongBlock&) {
                          return gui::BlockName{"load", {}, picture::light_theme().more};
                        },
                    .hovered = small[50]},
                   {80, 0, 800, 1000}, look);

  const auto edge = tests::strokes_of(scene, picture::Part::kLane);
  REQUIRE_FALSE(edge.empty());
  const auto [top, bottom] = std::ranges::minmax(edge, {}, &picture::Point::y);
  CHECK(bottom.y - top.y == Approx(10).margin(1.5));
  CHECK(bottom.y == Approx(500).margin(1.5));
  std::vector<picture::Colour> colours;
  for (const auto& item : scene.items) {
    const auto* const fill = std::get_if<picture::Fill>(&item);
    if (fill != nullptr && fill->part == picture::Part::kLane) {
      colours.push_back(fill->colour);
    }
  }
  REQUIRE(colours.size() == 2);
  CHECK(colours[1].red == picture::light_theme().more.red);
  CHECK(colours[0].blue > colours[1].blue);
  CHECK(colours[0].blue < picture::mixed(colours[1], look.theme.background, 0.6).blue);
}

TEST_CASE("a pinned mapping that grows has one edge around all of its sizes", "[gui]") {
  tests::TraceBuilder builder;
  const auto mapping =
      builder.at_ns(0).allocate(200, builder.stack({"map", "main"}), trace::Lane::kAnon);
  builder.at_ns(200'000).grow(mapping, 300);
  builder.at_ns(500'000).grow(mapping, 400);
  builder.at_ns(800'000).begin_phase("end");
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  REQUIRE(list.blocks.size() == 3);
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  const auto columns_borders = borders(800'000, 800);
  const BlockStack stacked = gui::stack_blocks(list, columns_borders, 100);
  const auto columns = picture::stacked_columns(trace, columns_borders);

  gui::draw_blocks(scene,
                   {.list = &list,
                    .stack = &stacked,
                    .columns = &columns,
                    .highest = 1000,
                    .name =
                        [](const gui::LongBlock&) {
                          return gui::BlockName{"load", {}, picture::light_theme().more};
                        },
                    .hovered = {},
                    .pinned = mapping},
                   {80, 0, 800, 1000}, look);

  const auto edge = tests::strokes_of(scene, picture::Part::kLane);
  REQUIRE_FALSE(edge.empty());
  const auto [left, right] = std::ranges::minmax(edge, {}, &picture::Point::x);
  const auto [top, bottom] = std::ranges::minmax(edge, {}, &picture::Point::y);
  CHECK(right.x - left.x > 790);
  CHECK(bottom.y - top.y == Approx(900).margin(2));
}

TEST_CASE("a block is labelled with the weights in it, where these are known", "[gui]") {
  tests::TraceBuilder builder;
  const auto weights = builder.file("/m/w.safetensors", 800);
  builder.tensor(weights, 100, 400, "wte");
  builder.at_ns(1000);
  const auto tensor = builder.allocate(400);
  builder.origin(tensor, 0, weights, 0, 400);
  builder.allocate(400);
  builder.at_ns(800'000).begin_phase("end");
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  REQUIRE(list.blocks.size() == 2);
  const analyzer::BlockContents contents(trace.definitions());
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  picture::Scene scene;
  const auto columns_borders = borders(800'000, 800);
  const BlockStack stack = gui::stack_blocks(list, columns_borders, 1);
  const auto columns = picture::stacked_columns(trace, columns_borders);
  gui::draw_blocks(
      scene,
      {.list = &list,
       .stack = &stack,
       .columns = &columns,
       .highest = 1000,
       .name =
           [&](const gui::LongBlock& block) {
             return gui::BlockName{
                 "load",
                 analyzer::content_text(trace.definitions(), contents.parts_of(block.allocation)),
                 picture::light_theme().more};
           },
       .hovered = {}},
      {80, 10, 800, 380}, look);
  std::vector<std::string> labels;
  for (const auto& item : scene.items) {
    if (const auto* label = std::get_if<picture::Label>(&item)) {
      labels.push_back(label->text);
    }
  }
  CHECK(std::ranges::count(labels, "wte  400 B  load") == 1);
  CHECK(std::ranges::count(labels, "load  400 B") == 1);
}

TEST_CASE("what is above the blocks is layered by who asked, up to the footprint", "[gui]") {
  // Two layers and the rest; one block of the first layer is shown over columns 0 and 1.
  const std::vector<analyzer::FootprintLayer> layers{
      {.text = "other functions", .is_rest = true}, {.text = "keep"}, {.text = "read"}};
  picture::Bands bands;
  bands.colours.resize(3);
  bands.highest = {10, 500, 40, 10, 500, 90, 10, 100, 90};
  std::vector<picture::StackedColumn> columns(3);
  for (std::size_t c = 0; c < 3; ++c) {
    columns[c].highest[trace::Lane::kHeap] = bands.up_to(bands.highest, c, 3);
  }
  gui::BlockStack stack;
  stack.heights = {400, 400, 0};
  stack.shapes.push_back({.block = 7, .runs = {{.begin = 0, .end = 2, .bytes = 400}}});

  const auto hill = gui::hill_of(bands, layers, stack, columns, [](std::size_t block) {
    CHECK(block == 7);
    return std::size_t{1};
  });

  CHECK(hill.bands.highest == std::vector<std::uint64_t>{10, 100, 40, 10, 100, 90, 10, 100, 90});
  CHECK(hill.names == std::vector<std::string>{"other functions", "keep", "read"});
  const auto part = [&](std::size_t column, std::uint64_t bytes) {
    const auto found = gui::hill_part_at(hill, stack, column, bytes);
    return found ? std::pair(hill.names[found->band], found->bytes)
                 : std::pair(std::string(), std::uint64_t{0});
  };
  CHECK(part(0, 399) == std::pair(std::string(), std::uint64_t{0}));  // A block lies there.
  CHECK(part(0, 400) == std::pair(std::string("other functions"), std::uint64_t{10}));
  CHECK(part(1, 410) == std::pair(std::string("keep"), std::uint64_t{100}));
  CHECK(part(1, 599) == std::pair(std::string("read"), std::uint64_t{90}));
  CHECK(part(1, 600) == std::pair(std::string(), std::uint64_t{0}));  // Above all.
  CHECK(part(3, 0) == std::pair(std::string(), std::uint64_t{0}));    // Beside all.
}

TEST_CASE("what is above the blocks is said to be of the column, not of the blocks' instant",
          "[gui]") {
  CHECK(gui::small_blocks_words(50 << 20, {1'200'000'000, 1'210'000'000}, 1'204'000'000) ==
        std::vector<std::string>{
            "50.0 MiB of the highest footprint between 1.200 s and 1.210 s",
            "in blocks too small to be drawn one by one; those drawn are those at 1.204 s"});
  // The very column of the block that lives for one event.
  CHECK(gui::small_blocks_words(1, {7, 8}, 7).front() ==
        "1 B of the highest footprint between 7 ns and 8 ns");
}
