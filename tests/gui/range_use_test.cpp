#include "gui/view/trees/range_use.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;

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
}
