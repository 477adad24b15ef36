#include "analyzer/diff/diff.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <random>

using namespace tidemark;
using analyzer::Diff;
using analyzer::StackMatch;
using tests::TraceBuilder;

namespace {

Diff diff_of(TraceBuilder& before, TraceBuilder& after, const analyzer::DiffOptions& options = {}) {
  auto opened_before = before.open();
  auto opened_after = after.open();
  auto diff = analyzer::build_diff(opened_before, opened_after, options);
  REQUIRE(diff.ok());
  return std::move(diff.value());
}

/// The equation that every diff must hold: each byte of either peak is in exactly one row.
void check_sums(const Diff& diff) {
  std::uint64_t before = diff.more.before_bytes + diff.unchanged.before_bytes;
  std::uint64_t after = diff.more.after_bytes + diff.unchanged.after_bytes;
  for (const auto& stack : diff.stacks) {
    before += stack.before_bytes;
    after += stack.after_bytes;
  }
  CHECK(static_cast<std::int64_t>(before) + diff.before.unattributed_bytes ==
        static_cast<std::int64_t>(diff.before.peak.footprint_bytes));
  CHECK(static_cast<std::int64_t>(after) + diff.after.unattributed_bytes ==
        static_cast<std::int64_t>(diff.after.peak.footprint_bytes));
}

}  // namespace

TEST_CASE("stacks that grew, shrank, came and went are listed, most changed first", "[diff]") {
  TraceBuilder before;
  before.allocate(5000, before.stack({"malloc", "whole_file l.cpp:10", "main l.cpp:1"}));
  before.allocate(1000, before.stack({"malloc", "tensors l.cpp:20", "main l.cpp:2"}));
  before.allocate(300, before.stack({"malloc", "tables l.cpp:30", "main l.cpp:3"}));
  TraceBuilder after;
  after.allocate(1500, after.stack({"malloc", "tensors l.cpp:25", "main l.cpp:4"}));
  after.allocate(300, after.stack({"malloc", "tables l.cpp:35", "main l.cpp:5"}));
  after.allocate(64, after.stack({"malloc", "chunk l.cpp:50", "main l.cpp:6"}));

  const Diff diff = diff_of(before, after);

  REQUIRE(diff.stacks.size() == 3);
  CHECK(diff.stacks[0].change() == -5000);
  CHECK(diff.stacks[0].match == StackMatch::kNone);
  CHECK(diff.stacks[0].frames[1].function == "whole_file");
  CHECK(diff.stacks[1].change() == 500);
  CHECK(diff.stacks[1].match == StackMatch::kSame);
  CHECK(diff.stacks[1].frames[1].line == 25);
  CHECK(diff.stacks[2].before_bytes == 0);
  CHECK(diff.stacks[2].after_bytes == 64);
  CHECK(diff.unchanged.stacks == 1);
  CHECK(diff.peak_change_bytes() == 1864 - 6300);
  CHECK(diff.peak_change_ratio() == Approx((1864.0 - 6300.0) / 6300.0));
  check_sums(diff);
}

TEST_CASE("of many changed stacks the top ones are listed and the others summed", "[diff]") {
  TraceBuilder before;
  TraceBuilder after;
  for (std::uint64_t i = 1; i <= 30; ++i) {
    before.allocate(100 * i, before.stack({"malloc", "f" + std::to_string(i), "main"}));
    after.allocate(i % 3 == 0 ? 100 * i : 200 * i,
                   after.stack({"malloc", "f" + std::to_string(i), "main"}));
  }

  const Diff diff = diff_of(before, after, {.top = 5, .model = ""});

  CHECK(diff.stacks.size() == 5);
  CHECK(diff.stacks[0].change() == 2900);
  CHECK(diff.more.stacks == 15);
  CHECK(diff.unchanged.stacks == 10);
  check_sums(diff);
}

TEST_CASE("a diff can be shortened afterwards, and still sums up", "[diff]") {
  TraceBuilder before;
  TraceBuilder after;
  for (std::uint64_t i = 1; i <= 9; ++i) {
    after.allocate(100 * i, after.stack({"malloc", "f" + std::to_string(i), "main"}));
  }

  const Diff diff = analyzer::shortened(diff_of(before, after), 2);

  CHECK(diff.stacks.size() == 2);
  CHECK(diff.stacks[1].after_bytes == 800);
  CHECK(diff.more.stacks == 7);
  check_sums(diff);
}

TEST_CASE("a trace compared with itself has no changed stack", "[diff]") {
  TraceBuilder trace;
  for (std::uint64_t i = 0; i < 50; ++i) {
    trace.allocate(1000 + i, trace.stack({"malloc", "f:" + std::to_string(i % 7), "main"}));
  }
  const auto path = trace.finish();
  auto before = analyzer::LoadedTrace::open(path);
  auto after = analyzer::LoadedTrace::open(path);

  const auto diff = analyzer::build_diff(before.value(), after.value(), {});

  CHECK(diff.value().stacks.empty());
  CHECK(diff.value().unchanged.stacks == 7);
  CHECK(diff.value().peak_change_bytes() == 0);
  check_sums(diff.value());
}

TEST_CASE("the rows of a diff sum to both peaks, whatever the traces", "[diff]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto fill = [&random](TraceBuilder& trace) {
    const auto library = trace.file("/lib/libm.so.6", 4096, true);
    std::vector<std::uint64_t> alive;
    for (int i = 0; i < 400; ++i) {
      std::vector<std::string> functions{"malloc"};
      for (auto depth = random() % 6; depth > 0; --depth) {
        functions.push_back("f" + std::to_string(random() % 9) +
                            " a.cpp:" + std::to_string(1 + random() % 5));
      }
      const auto lane = random() % 5 == 0 ? trace::Lane::kAnon : trace::Lane::kHeap;
      const auto stack = random() % 10 == 0 ? trace::kNoStack : trace.stack(functions);
      if (random() % 9 == 0) {
        trace.map(library, 4096);
      }
      alive.push_back(trace.allocate(1 + random() % 5000, stack, lane));
      if (random() % 3 == 0) {
        trace.release(alive.back());
        alive.pop_back();
      }
    }
  };
  TraceBuilder before;
  fill(before);
  TraceBuilder after;
  fill(after);

  const Diff diff = diff_of(before, after, {.top = random() % 20, .model = ""});

  CHECK(diff.before.unattributed_bytes == 0);
  CHECK(diff.after.unattributed_bytes == 0);
  check_sums(diff);
}

TEST_CASE("what is not attributed in a damaged trace is said, and the sums still hold", "[diff]") {
  TraceBuilder before;
  for (int i = 0; i < 300; ++i) {
    before.allocate(100, before.stack({"malloc", "f" + std::to_string(i), "main"}));
    if (i % 50 == 0) {
      before.flush();
    }
  }
  const auto path = before.finish();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  auto torn = analyzer::LoadedTrace::open(path);
  TraceBuilder after;
  after.allocate(7);
  auto whole = after.open();

  const auto diff = analyzer::build_diff(torn.value(), whole, {});

  CHECK(diff.value().before.loss.torn);
  check_sums(diff.value());
}

TEST_CASE("an empty trace can be compared", "[diff]") {
  TraceBuilder before;
  TraceBuilder after;
  after.allocate(10, after.stack({"malloc", "main"}));

  const Diff diff = diff_of(before, after);

  CHECK_FALSE(diff.peak_change_ratio().has_value());
  CHECK(diff.peak_change_bytes() == 10);
  check_sums(diff);
}

TEST_CASE("a model that is neither a size nor a file is refused", "[diff]") {
  TraceBuilder before;
  TraceBuilder after;
  auto opened_before = before.open();
  auto opened_after = after.open();

  const auto diff =
      analyzer::build_diff(opened_before, opened_after, {.top = 1, .model = "5furlongs"});

  REQUIRE_FALSE(diff.ok());
  CHECK(diff.error().code == ErrorCode::kUsage);
}
