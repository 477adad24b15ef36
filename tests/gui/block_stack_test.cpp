#include "gui/view/blocks/block_stack.hpp"

#include "gui/view/blocks/block_stretch.hpp"
#include "gui/view/blocks/stack_alive.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/gui/gathered_blocks.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace tidemark;
using gui::BlockList;
using gui::BlockStack;
using tests::borders;
using tests::check_invariants;
using tests::gathered;

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

  CHECK(text(5) == "no block of exactly this stack");
  CHECK(text(15) == "alone under its stack: 3.00 MiB");
  CHECK(text(30) == "one of 2 blocks of exactly this stack: 4.00 MiB");
  CHECK(text(50) == "1 block of exactly this stack: 1.00 MiB");

  const auto lines = [&](const gui::StackInstants& instants) {
    return gui::stack_alive_lines(list, block, instants);
  };
  CHECK(lines({.clicked_ns = 15'000'000, .chosen_ns = 50'000'000, .peak_ns = 30'000'000}) ==
        std::vector<std::string>{
            "at 15 ms, where it was clicked on, alone under its stack: 3.00 MiB",
            "at the chosen instant, 50 ms, 1 block of exactly this stack: 1.00 MiB",
            "at the peak, 30 ms, one of 2 blocks of exactly this stack: 4.00 MiB"});
  CHECK(lines({.clicked_ns = 30'000'000, .chosen_ns = {}, .peak_ns = 30'000'000}).size() == 1);
  CHECK(lines({.clicked_ns = 50'000'000, .chosen_ns = 50'000'000, .peak_ns = 30'000'000}).size() ==
        2);

  list.others = 7;
  list.smallest = 2048;
  CHECK(text(30) ==
        "one of 2 blocks of exactly this stack: 4.00 MiB (blocks up to 2.00 KiB left out)");
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
