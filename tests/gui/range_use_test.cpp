#include "gui/view/trees/range_use.hpp"

#include "gui/view/trees/tree_rows.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using gui::CallTree;
using gui::Measure;
using gui::TreeOrder;

namespace {

gui::Weight used(analyzer::LoadedTrace& trace, std::uint64_t from_ms, std::uint64_t to_ms) {
  gui::RangeUse use(trace, from_ms * 1'000'000, to_ms * 1'000'000);
  while (use.step()) {
  }
  return use.take().total;
}

}  // namespace

TEST_CASE("a range says what it allocated, and what of that was gone at its end", "[gui]") {
  tests::TraceBuilder builder;
  const auto old = builder.at_ms(1).allocate(1000);
  const auto kept = builder.at_ms(10).allocate(200);
  const auto gone = builder.at_ms(11).allocate(30);
  builder.flush();
  builder.at_ms(12).release(old);
  builder.release(gone);
  const auto grown = builder.at_ms(13).reallocate(kept, 400);
  builder.at_ms(14).release_part(grown, 100);
  builder.at_ms(30).release(grown);
  auto trace = builder.open();

  const gui::Weight inside = used(trace, 5, 20);

  CHECK(inside.bytes == 200 + 30 + 200);
  CHECK(inside.freed == 30 + 100);
  CHECK(inside.kept() == 300);
  CHECK(inside.blocks == 2);
  CHECK(inside.freed_blocks == 1);
  CHECK(used(trace, 21, 29).bytes == 0);
  CHECK(used(trace, 0, 40).kept() == 0);
}

TEST_CASE("a block that is resized counts as by how much its size changed", "[gui]") {
  tests::TraceBuilder builder;
  const auto map = builder.stack({"malloc", "make_map m.cpp:1", "main"});
  const auto fit = builder.stack({"realloc", "fit m.cpp:9", "main"});
  const auto old = builder.at_ms(1).allocate(64'000, map);
  const auto shrunk = builder.at_ms(10).reallocate(old, 51'000, fit);
  const auto grown = builder.at_ms(12).reallocate(shrunk, 55'000, fit);
  builder.at_ms(14).release(grown);
  const auto fresh = builder.at_ms(15).allocate(100, map);
  const auto larger = builder.at_ms(16).reallocate(fresh, 500, fit);
  builder.at_ms(17).reallocate(larger, 50, fit);
  auto trace = builder.open();

  SECTION("one that is older") {
    CHECK(used(trace, 9, 11) == gui::Weight{.given_back = 13'000});
    CHECK(used(trace, 9, 13) ==
          gui::Weight{.bytes = 4000, .given_back = 13'000, .given_back_blocks = 0});
    CHECK(used(trace, 9, 14) ==
          gui::Weight{
              .bytes = 4000, .freed = 4000, .given_back = 13'000 + 55'000, .given_back_blocks = 1});
    // What it gives back is no more than what was there.
    CHECK(used(trace, 11, 14).given_back == 55'000);
  }
  SECTION("one of the range's own") {
    CHECK(used(trace, 15, 16) == gui::Weight{.bytes = 500, .blocks = 1});
    CHECK(used(trace, 15, 17) ==
          gui::Weight{.bytes = 500, .blocks = 1, .freed = 450, .given_back = 450});
  }
  SECTION("what it grew by is of the stack that let it grow") {
    gui::RangeUse use(trace, 15'000'000, 16'500'000);
    while (use.step()) {
    }
    const CallTree tree = build_tree(use.take(), TreeOrder::kBottomUp);
    const auto rows = gui::tree_rows(tree, Measure::kBytes, {}, "");
    REQUIRE(rows.size() == 2);
    CHECK(tree.nodes[rows[0].node].name() == "fit");
    CHECK(tree.nodes[rows[0].node].weight.bytes == 400);
    CHECK(tree.nodes[rows[1].node].weight.bytes == 100);
  }
}

TEST_CASE("what a process held when it ended is gone, but nobody gave it back", "[gui]") {
  tests::TraceBuilder builder;
  const auto child = builder.process(200, "child");
  const auto thread = builder.thread(child);
  builder.at_ms(1).allocate(5);
  builder.at_ms(2).on(thread).allocate(90);
  const auto grown = builder.allocate(30);
  builder.at_ms(3).release(builder.at_ms(3).allocate(20));
  builder.reallocate(grown, 40);
  builder.end_process(child);
  auto trace = builder.open();

  const gui::Weight all = used(trace, 0, 10);

  CHECK(all.bytes == 155);
  CHECK(all.freed == 150);
  CHECK(used(trace, 3, 10) == gui::Weight{.bytes = 30,
                                          .blocks = 1,
                                          .freed = 30,
                                          .freed_blocks = 1,
                                          .given_back = 20,
                                          .given_back_blocks = 1});
  gui::RangeUse use(trace, 3'000'000, 10'000'000);
  while (use.step()) {
  }
  CHECK(use.ended().bytes == 130);
  CHECK(use.ended().processes == 1);
  CHECK(use.ended().last_ns == 3'000'000);
}

TEST_CASE("what was given back has the stack that asked for it before the range", "[gui]") {
  tests::TraceBuilder builder;
  const auto matrix = builder.stack({"malloc", "make_matrix m.cpp:1", "main"});
  const auto note = builder.stack({"malloc", "take_note n.cpp:1", "main"});
  const auto old = builder.at_ms(1).allocate(61'000, matrix);
  const auto cut = builder.allocate(900, matrix);
  builder.at_ms(2).allocate(5000, note);
  builder.release(builder.at_ms(10).allocate(30, note));
  builder.at_ms(11).release(old);
  builder.release_part(cut, 300);
  builder.at_ms(30).release(cut);
  auto trace = builder.open();

  gui::RangeUse use(trace, 5'000'000, 20'000'000);
  while (use.step()) {
  }
  const auto stacks = use.take();
  const CallTree tree = build_tree(stacks, TreeOrder::kBottomUp);
  const auto rows = gui::tree_rows(tree, Measure::kGivenBack, {}, "");
  const auto taken = gui::tree_rows(tree, Measure::kBytes, {}, "");

  CHECK(stacks.total.given_back == 61'000 + 300 + 30);
  CHECK(stacks.total.given_back_blocks == 2);
  CHECK(stacks.total.bytes == 30);
  REQUIRE(rows.size() == 2);
  CHECK(tree.nodes[rows[0].node].name() == "make_matrix");
  CHECK(measured(tree.nodes[rows[0].node].weight, Measure::kGivenBack) == 61'300);
  CHECK(measured_blocks(tree.nodes[rows[0].node].weight, Measure::kGivenBack) == 1);
  CHECK(tree.nodes[rows[1].node].name() == "take_note");
  // And nothing stands among what was allocated that was not.
  REQUIRE(taken.size() == 1);
  CHECK(tree.nodes[taken[0].node].name() == "take_note");
}

TEST_CASE("what a range allocated and gave back leads from one footprint to the other", "[gui]") {
  tests::TraceBuilder builder;
  const auto child = builder.process(200, "child");
  const auto thread = builder.thread(child);
  const auto main = builder.thread(trace::ProcessId{0});
  const auto file = builder.file("/model.bin", 4096, false);
  const auto mapped = builder.at_ms(1).allocate(4096, trace::kNoStack, trace::Lane::kAnon);
  const auto empty = builder.allocate(0, trace::kNoStack, trace::Lane::kShared);
  const auto old = builder.allocate(1000);
  builder.at_ms(2).on(thread).allocate(70);
  builder.at_ms(3).on(main).map(file, 4096);
  builder.at_ms(4).grow(mapped, 8192);
  builder.grow(empty, 600);
  builder.flush();
  builder.at_ms(5).release_part(mapped, 2048);
  const auto moved = builder.at_ms(6).reallocate(old, 1500);
  builder.at_ms(7).on(thread).end_process(child);
  builder.on(main).at_ms(8).grow(mapped, 500);
  builder.flush();
  builder.at_ms(9).release(mapped);
  builder.at_ms(10).release(moved);
  builder.release(empty);
  auto trace = builder.open();

  for (std::uint64_t from_ms = 0; from_ms <= 11; ++from_ms) {
    for (std::uint64_t to_ms = from_ms; to_ms <= 11; ++to_ms) {
      CAPTURE(from_ms, to_ms);
      gui::RangeUse use(trace, from_ms * 1'000'000, to_ms * 1'000'000);
      while (use.step()) {
      }
      const auto before = trace.totals_at(use.from())->footprint();
      const auto after = trace.totals_at(use.to())->footprint();
      const gui::Weight all = use.take().total;
      const std::uint64_t ended = use.ended().bytes;
      CHECK(before + all.bytes == after + all.given_back + ended);
      CHECK(all.freed <= all.bytes);
      CHECK(all.freed <= all.given_back + ended);
    }
  }
}
