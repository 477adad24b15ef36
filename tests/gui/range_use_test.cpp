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

  CHECK(inside.bytes == 200 + 30 + 400);
  CHECK(inside.freed == 30 + 200 + 100);
  CHECK(inside.kept() == 300);
  CHECK(inside.blocks == 3);
  CHECK(inside.freed_blocks == 2);
  CHECK(used(trace, 21, 29).bytes == 0);
  CHECK(used(trace, 0, 40).kept() == 0);
}

TEST_CASE("what a process held when it ended is freed", "[gui]") {
  tests::TraceBuilder builder;
  const auto child = builder.process(200, "child");
  const auto thread = builder.thread(child);
  builder.at_ms(1).allocate(5);
  builder.at_ms(2).on(thread).allocate(70);
  builder.at_ms(3).end_process(child);
  auto trace = builder.open();

  const gui::Weight all = used(trace, 0, 10);

  CHECK(all.bytes == 75);
  CHECK(all.freed == 70);
  CHECK(used(trace, 3, 10).given_back == 70);
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
  const auto old = builder.allocate(1000);
  builder.at_ms(2).on(thread).allocate(70);
  builder.at_ms(3).on(main).map(file, 4096);
  builder.at_ms(4).grow(mapped, 8192);
  builder.flush();
  builder.at_ms(5).release_part(mapped, 2048);
  const auto moved = builder.at_ms(6).reallocate(old, 1500);
  builder.at_ms(7).on(thread).end_process(child);
  builder.on(main).at_ms(8).grow(mapped, 500);
  builder.flush();
  builder.at_ms(9).release(mapped);
  builder.at_ms(10).release(moved);
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
      CHECK(before + all.bytes == after + all.given_back);
      CHECK(all.freed <= all.bytes);
      CHECK(all.freed <= all.given_back);
    }
  }
}
