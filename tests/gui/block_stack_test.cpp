#include "gui/view/blocks/block_stack.hpp"

#include "analyzer/tensors/block_contents.hpp"
#include "gui/view/blocks/block_hill.hpp"
#include "gui/view/blocks/block_hill_picture.hpp"
#include "gui/view/blocks/block_picture.hpp"
#include "gui/view/blocks/block_stretch.hpp"
#include "gui/view/blocks/stack_alive.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using gui::BlockList;
using gui::BlockStack;

namespace {

BlockList gathered(analyzer::LoadedTrace& trace, std::size_t most = 1000) {
  gui::BlockGatherer gatherer(trace, most);
  while (gatherer.step()) {
  }
  return gatherer.take();
}

std::vector<std::uint64_t> borders(std::uint64_t end_ns, std::uint64_t count) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t c = 0; c <= count; ++c) {
    found.push_back(end_ns * c / count);
  }
  return found;
}

/// No two blocks share a place, and each column is as high as its blocks together.
void check_invariants(const BlockStack& stack) {
  for (std::size_t column = 0; column < stack.heights.size(); ++column) {
    std::uint64_t bottom = 0;
    for (const gui::BlockShape& shape : stack.shapes) {
      for (const gui::BlockRun& run : shape.runs) {
        if (column >= run.begin && column < run.end) {
          CAPTURE(column, shape.block);
          REQUIRE(run.bottom == bottom);
          bottom += run.bytes;
        }
      }
    }
    REQUIRE(stack.heights[column] == bottom);
  }
}

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

TEST_CASE("blocks stand on top of each other and sink when one below goes", "[gui]") {
  tests::TraceBuilder builder;
  const auto first = builder.at_ns(10000).allocate(100);
  builder.at_ns(20000).allocate(50);
  builder.at_ns(50000).release(first);
  builder.at_ns(90000).allocate(1);
  auto trace = builder.open();
  const BlockList list = gathered(trace);

  const BlockStack stack = gui::stack_blocks(list, borders(100'000, 100), 2);

  check_invariants(stack);
  REQUIRE(stack.shapes.size() == 2);
  REQUIRE(stack.shapes[1].runs.size() == 2);
  CHECK(stack.shapes[1].runs[0].bottom == 100);
  CHECK(stack.shapes[1].runs[1].bottom == 0);
  CHECK(stack.shapes[1].runs[1].begin == 51);
  CHECK(stack.folded == 1);
  CHECK(gui::shape_at(stack, 30, 120) == 1U);
  CHECK(gui::shape_at(stack, 60, 20) == 1U);
  CHECK_FALSE(gui::shape_at(stack, 60, 60).has_value());
}

TEST_CASE("a block that shall stand alone is in no bundle, and in no band", "[gui]") {
  tests::TraceBuilder builder;
  builder.at_ns(10000).allocate(4);
  const auto second = builder.at_ns(20000).allocate(4);
  builder.at_ns(30000).allocate(4);
  builder.at_ns(90000).allocate(100);
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  const auto number = list.blocks.at(1).allocation;
  REQUIRE(number == second);

  // The other two are a bundle, then in the band.
  for (const std::uint64_t smallest : {8U, 50U}) {
    CAPTURE(smallest);
    const BlockStack stack = gui::stack_blocks(list, borders(100'000, 100), smallest, number);

    check_invariants(stack);
    const auto alone = std::ranges::find(stack.shapes, 1U, &gui::BlockShape::block);
    REQUIRE(alone != stack.shapes.end());
    CHECK(alone->count == 1);
    CHECK(alone->most == 4);
    CHECK(stack.folded == (smallest == 8 ? 0 : 2));
  }
}

TEST_CASE("of a bundle, the block under a height is one that is alive there", "[gui]") {
  tests::TraceBuilder builder;
  const auto stack = builder.stack({"malloc", "load", "main"});
  builder.at_ns(1000).allocate(50);  // Below all of them.
  const auto dead = builder.at_ns(10000).allocate(4, stack);
  builder.at_ns(15000).allocate(3, builder.stack({"malloc", "other", "main"}));
  const auto second = builder.at_ns(20000).allocate(4, stack);
  const auto third = builder.at_ns(30000).allocate(8, stack);
  builder.at_ns(50000).release(dead);
  builder.at_ns(70000).release(second);
  builder.at_ns(90000).allocate(100);
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  const BlockStack bundled = gui::stack_blocks(list, borders(100'000, 100), 10);
  const auto found = [&](std::size_t column, std::uint64_t bytes) {
    const auto shape = gui::shape_at(bundled, column, bytes);
    REQUIRE(shape.has_value());
    return list.blocks[gui::block_at(list, bundled, *shape, column, bytes)].allocation;
  };
  REQUIRE(bundled.shapes.size() == 3);
  REQUIRE(bundled.shapes[1].count == 3);

  CHECK(found(40, 50) == dead);
  CHECK(found(40, 54) == second);
  CHECK(found(40, 58) == third);
  // The first has gone, and the others have sunk.
  CHECK(found(60, 50) == second);
  CHECK(found(60, 54) == third);
  CHECK(found(80, 50) == third);
  // Of a column in which one goes and none comes, what it shows is before that.
  CHECK(found(50, 50) == dead);
  CHECK(found(51, 50) == second);
  // Of a shape that is one block it is that block.
  CHECK(found(60, 10) == 0);

  // Where the heights do not tell, it is the largest.
  CHECK(list.blocks[gui::block_at(list, bundled, 1, 60, 1000)].allocation == third);
}

TEST_CASE("one block of a bundle lies where it is found, on the older ones alive", "[gui]") {
  tests::TraceBuilder builder;
  const auto stack = builder.stack({"malloc", "load", "main"});
  builder.at_ns(1000).allocate(1000, builder.stack({"malloc", "below", "main"}));
  std::vector<std::uint64_t> small;
  for (std::uint64_t i = 0; i < 20; ++i) {
    small.push_back(builder.at_ns(2000 + 100 * i).allocate(10 + i, stack));
  }
  for (std::uint64_t i = 0; i < 20; i += 3) {
    builder.at_ns(5000 + 100 * i).release(small[i]);
  }
  builder.at_ns(10'000).begin_phase("end");
  auto trace = builder.open();
  const BlockList list = gathered(trace);
  const BlockStack stacked = gui::stack_blocks(list, borders(10'000, 100), 50);
  REQUIRE(stacked.shapes.size() == 2);
  REQUIRE(stacked.shapes[1].count == 20);

  std::size_t columns = 0;
  for (std::size_t block = 1; block < list.blocks.size(); ++block) {
    const auto spot = gui::spot_of(list, stacked, block);
    REQUIRE(spot.has_value());
    CHECK(spot->shape == 1);
    for (const gui::BlockRun& run : spot->runs) {
      for (std::size_t column = run.begin; column < run.end; ++column) {
        CAPTURE(block, column);
        CHECK(gui::block_at(list, stacked, 1, column, run.bottom) == block);
        CHECK(gui::block_at(list, stacked, 1, column, run.top() - 1) == block);
        ++columns;
      }
    }
  }
  std::size_t alive = 0;
  for (const std::uint64_t instant : stacked.instants) {
    alive += static_cast<std::size_t>(std::ranges::count_if(
        list.blocks, [&](const auto& one) { return one.bytes < 50 && one.is_alive_at(instant); }));
  }
  CHECK(columns == alive);
  const auto whole = gui::spot_of(list, stacked, 0);
  REQUIRE(whole.has_value());
  CHECK(whole->runs.front().bytes == 1000);
}

TEST_CASE("how much of a stack is alive at an instant is said with the block's part in it",
          "[gui]") {
  tests::TraceBuilder builder;
  const auto stack = builder.stack({"malloc", "load", "main"});
  const auto first = builder.at_ms(10).allocate(3 << 20, stack);
  builder.at_ms(20).allocate(1 << 20, stack);
  builder.at_ms(30).allocate(1 << 20, builder.stack({"malloc", "other", "main"}));
  builder.at_ms(50).release(first);
  builder.at_ms(90).allocate(1);
  auto trace = builder.open();
  BlockList list = gathered(trace);
  const gui::LongBlock block = list.blocks.front();
  REQUIRE(block.allocation == first);
  const auto text = [&](std::uint64_t ms) {
    return gui::stack_alive_text(list, gui::stack_alive(list, block, ms * 1'000'000));
  };

  CHECK(text(5) == "no block of this stack");
  CHECK(text(15) == "alone under its stack: 3.00 MiB");
  CHECK(text(30) == "one of 2 blocks of this stack: 4.00 MiB");
  CHECK(text(50) == "1 block of this stack: 1.00 MiB");

  const auto lines = [&](const gui::StackInstants& instants) {
    return gui::stack_alive_lines(list, block, instants);
  };
  CHECK(
      lines({.clicked_ns = 15'000'000, .chosen_ns = 50'000'000, .peak_ns = 30'000'000}) ==
      std::vector<std::string>{"at 15 ms, where it was clicked on, alone under its stack: 3.00 MiB",
                               "at the chosen instant, 50 ms, 1 block of this stack: 1.00 MiB",
                               "at the peak, 30 ms, one of 2 blocks of this stack: 4.00 MiB"});
  CHECK(lines({.clicked_ns = 30'000'000, .chosen_ns = {}, .peak_ns = 30'000'000}).size() == 1);
  CHECK(lines({.clicked_ns = 50'000'000, .chosen_ns = 50'000'000, .peak_ns = 30'000'000}).size() ==
        2);

  list.others = 7;
  list.smallest = 2048;
  CHECK(text(30) == "one of 2 blocks of this stack: 4.00 MiB (blocks up to 2.00 KiB left out)");
}

TEST_CASE("a block that lives for one event has a place of its own", "[gui]") {
  tests::TraceBuilder builder;
  builder.at_ns(5000).allocate(10);
  builder.release(builder.at_ns(500000).allocate(300));
  builder.at_ns(900000).allocate(10);
  auto trace = builder.open();
  const BlockList list = gathered(trace);

  const BlockStack stack = gui::stack_blocks(list, borders(1'000'000, 10), 1);

  check_invariants(stack);
  CHECK(*std::ranges::max_element(stack.heights) == 310);
}

TEST_CASE("blocks too small for a shape each are bundled by the stack that asked", "[gui]") {
  tests::TraceBuilder builder;
  const auto many = builder.stack({"many"});
  const auto few = builder.stack({"few"});
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < 100; ++i) {
    blocks.push_back(builder.at_ns(1000 * (i + 1)).allocate(10, many));
    if (i % 50 == 0) {
      builder.allocate(10, few);
    }
  }
  for (const auto block : blocks) {
    builder.at_ns(1000 * (200 + block)).release(block);
  }
  builder.at_ns(400'000).allocate(10, many);
  builder.at_ns(500'000).allocate(1);
  auto trace = builder.open();
  const BlockList list = gathered(trace);

  const BlockStack stack = gui::stack_blocks(list, borders(500'000, 500), 30);

  check_invariants(stack);
  REQUIRE(stack.shapes.size() == 1);
  CHECK(stack.shapes[0].count == 101);
  CHECK(stack.shapes[0].most == 1000);
  CHECK(stack.folded == 2);
  // Between the last release and the next block there is nothing.
  CHECK_FALSE(gui::shape_at(stack, 350, 0).has_value());
  CHECK(gui::shape_at(stack, 450, 5) == 0U);
  const auto label = gui::label_stretch(stack.shapes[0], 500);
  CHECK(label.end - label.begin > 100);
  CHECK(label.top - label.bottom >= 500);
}

TEST_CASE("only the largest blocks are listed, and the others are counted", "[gui]") {
  tests::TraceBuilder builder;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    builder.at_ns(1000 * i).allocate(i);
  }
  auto trace = builder.open();

  const BlockList list = gathered(trace, 100);

  CHECK(list.blocks.size() + list.others == 1000);
  CHECK(list.blocks.size() >= 100);
  CHECK(list.blocks.size() < 200);
  CHECK(std::ranges::count_if(list.blocks, [&](const auto& block) {
          return block.bytes > list.smallest;
        }) == static_cast<std::ptrdiff_t>(1000 - list.smallest));
}

TEST_CASE("equal blocks, more than there is room for, are not all dropped", "[gui]") {
  tests::TraceBuilder builder;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    builder.at_ns(1000 * i).allocate(64);
  }
  auto trace = builder.open();

  const BlockList list = gathered(trace, 100);

  CHECK(list.blocks.size() >= 100);
  CHECK(list.blocks.size() + list.others == 1000);
}

TEST_CASE("what remains of a block after a part of it went is a block", "[gui]") {
  tests::TraceBuilder builder;
  const auto block = builder.at_ns(10000).allocate(100, trace::kNoStack, trace::Lane::kAnon);
  builder.at_ns(20000).release_part(block, 40);
  builder.at_ns(30000).release(block);
  auto trace = builder.open();

  const BlockList list = gathered(trace);

  REQUIRE(list.blocks.size() == 2);
  CHECK(list.blocks[0].end_ns == 20'000);
  CHECK(list.blocks[1].bytes == 60);
  CHECK(list.blocks[1].end_ns == 30'000);
}

TEST_CASE("a block that grows twice at once is as high as its last size, not as both", "[gui]") {
  tests::TraceBuilder builder;
  const auto mapping =
      builder.at_ns(100).allocate(1000, builder.stack({"map", "main"}), trace::Lane::kAnon);
  builder.at_ns(500).grow(mapping, 100);
  builder.grow(mapping, 200);
  builder.at_ns(900).begin_phase("end");
  auto trace = builder.open();
  const BlockList list = gathered(trace);

  REQUIRE(list.blocks.size() == 2);
  CHECK(list.blocks[1].bytes == 1300);
  const BlockStack stack = gui::stack_blocks(list, borders(1000, 10), 1);
  check_invariants(stack);
  CHECK(std::ranges::max(stack.heights) == 1300);
}

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
