#include "gui/view/session/allocation_usage.hpp"

#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::UsageGrouping;
using tests::TraceBuilder;

namespace {

/// And one that asks once.
void append_callers(TraceBuilder& trace) {
  tests::append_two_callers(trace);
  trace.allocate(1, trace.stack({"malloc", "once other.cpp:1"}));
}

/// A function of an extension module asks inside of a line of Python.
trace::StackId asks_in(TraceBuilder& trace,
                       trace::ModuleId module,
                       const std::string& function,
                       const std::string& line) {
  const auto frame = trace.writer().add_frame({.module = module, .offset = 16 * function.size()});
  trace.writer().set_locations(frame, {{.function = function, .file = "", .line = 0}});
  return trace.writer().add_stack(
      {.parent = trace.stack({"cfunction_call", line, "PyEval_EvalCode", "main"}), .frame = frame});
}

}  // namespace

TEST_CASE("a function has the allocations of all stacks that it asked in", "[gui]") {
  TraceBuilder builder;
  append_callers(builder);
  auto trace = builder.open();

  const auto stacks = gui::allocation_usage(trace, {UsageGrouping::kAllocations, false}, 500);
  const auto functions = gui::allocation_usage(trace, {UsageGrouping::kAllocations, true}, 500);

  CHECK(stacks.functions.empty());
  REQUIRE(stacks.usage.rows.size() == 4);
  CHECK(stacks.usage.rows[0].usage.counts.allocations == 4);
  REQUIRE(functions.functions.size() == 3);
  CHECK(functions.functions[0] == "parse (loader.cpp), 2 stacks");
  CHECK(functions.functions[1] == "keep (loader.cpp:20)");
  CHECK(functions.lines.headings.back() == "function");
  REQUIRE(functions.usage.rows.size() == 3);
  CHECK(functions.usage.rows[0].usage.counts.allocations == 6);
  CHECK(functions.usage.rows[0].usage.counts.bytes == 900);
  CHECK(functions.usage.rows[0].frames.size() == 3);
  CHECK(functions.usage.all.allocations == 11);
}

TEST_CASE("the column that is measured is the one that the rows are in order of", "[gui]") {
  TraceBuilder builder;
  append_callers(builder);
  auto trace = builder.open();
  const auto ranked = [&trace](UsageGrouping by) {
    const auto lines = gui::allocation_usage(trace, {by, false}, 500).lines;
    return lines.headings[lines.ranked];
  };

  CHECK(ranked(UsageGrouping::kTemporary) == "temporary");
  CHECK(ranked(UsageGrouping::kLeaked) == "bytes");
  CHECK(ranked(UsageGrouping::kAllocations) == "number");
  CHECK(ranked(UsageGrouping::kSize) == "bytes");
  CHECK(ranked(UsageGrouping::kThread) == "bytes");
}

TEST_CASE("stacks that ask in one line of Python are told apart by what asked inside of it",
          "[gui]") {
  TraceBuilder builder;
  const auto module =
      builder.writer().add_module({.path = "/opt/libjson.so", .build_id = "", .base = 0});
  const auto number = asks_in(builder, module, "Json::number", "load load.py:4");
  const auto array = asks_in(builder, module, "Json::array", "load load.py:4");
  const auto other = asks_in(builder, module, "Json::object", "save save.py:9");
  for (const auto stack : {number, number, number, array, array, other}) {
    builder.allocate(64, stack);
  }
  auto trace = builder.open();

  const auto usage = gui::allocation_usage(trace, {UsageGrouping::kAllocations, false}, 500);

  REQUIRE(usage.stacks.size() == 3);
  CHECK(usage.stacks[0] == "load (load.py:4) through Json::number  <  PyEval_EvalCode  <  main");
  CHECK(usage.stacks[1] == "load (load.py:4) through Json::array  <  PyEval_EvalCode  <  main");
  CHECK(usage.stacks[2] == "save (save.py:9)  <  PyEval_EvalCode  <  main");
  CHECK(gui::allocation_usage(trace, {UsageGrouping::kSize, false}, 500).stacks.empty());
}

TEST_CASE("the largest allocation of a row has its time, where it was freed, too", "[gui]") {
  TraceBuilder builder;
  const auto stack = builder.stack({"malloc", "parse loader.cpp:10"});
  builder.release(builder.at_ms(10).allocate(100, stack));
  builder.release(builder.at_ms(20).allocate(700, stack));
  builder.at_ms(30).allocate(300, stack);
  auto trace = builder.open();

  const auto usage = gui::allocation_usage(trace, {UsageGrouping::kAllocations, true}, 500);
  const auto kept = gui::allocation_usage(trace, {UsageGrouping::kLeaked, true}, 500);

  REQUIRE(usage.usage.rows.size() == 1);
  CHECK(usage.usage.rows[0].usage.counts.largest_bytes == 700);
  CHECK(usage.usage.rows[0].usage.counts.largest_at_ns == 20'000'000);
  CHECK(kept.end_ns >= 30'000'000);
}

TEST_CASE("functions are ordered by what is asked, and the rest is summed", "[gui]") {
  TraceBuilder builder;
  append_callers(builder);
  auto trace = builder.open();

  const auto held = gui::allocation_usage(trace, {UsageGrouping::kLeaked, true}, 1);

  REQUIRE(held.functions.size() == 1);
  CHECK(held.functions[0] == "parse (loader.cpp:12)");
  CHECK(held.usage.rows[0].usage.counts.held_bytes == 600);
  CHECK(held.usage.rest.held_bytes == 4 * 64 + 1);
  REQUIRE(held.lines.names.size() == 2);
  CHECK(held.lines.names.back() == "2 more functions");
}

TEST_CASE("sizes and threads are no functions", "[gui]") {
  TraceBuilder builder;
  append_callers(builder);
  auto trace = builder.open();

  for (const UsageGrouping by : {UsageGrouping::kSize, UsageGrouping::kThread}) {
    const auto usage = gui::allocation_usage(trace, {by, true}, 500);

    CHECK(usage.functions.empty());
    CHECK(usage.usage.by == by);
    CHECK_FALSE(usage.usage.rows.empty());
  }
}

TEST_CASE("why more is held at the peak than was asked for is said where it is so", "[gui]") {
  const bool grows = GENERATE(false, true);
  TraceBuilder builder;
  const auto heap = builder.allocate(4096, builder.stack({"mmap", "main"}), trace::Lane::kAnon);
  if (grows) {
    builder.at_ms(5).grow(heap, std::uint64_t{70} << 20U);
  }
  auto trace = builder.open();

  const auto usage = gui::allocation_usage(trace, {UsageGrouping::kThread, false}, 500);

  CHECK(usage.lines.title == std::string("allocations and mappings by thread: 1, 4.00 KiB in all") +
                                 (grows ? "; what they committed or touched later counts at the "
                                          "peak alone"
                                        : ""));
}
