// The live sets that a page stores: they add up, fold what is small, and say what has changed.

#include "analyzer/html/page.hpp"
#include "tests/analyzer/html/made_page.hpp"
#include "tests/analyzer/html/page_data.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace tidemark;
using nlohmann::json;
using tests::check_instants;
using tests::data_of;
using tests::page_of;
using tests::TraceBuilder;
using tests::unpacked;

namespace {

/// Of a row of "what was alive": its bytes, its blocks, its lane.
using LiveRow = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

const json& peak_of(const json& load) {
  const json& instants = load.at("instants");
  return *std::ranges::find_if(instants,
                               [](const json& at) { return at.at("is_peak").get<bool>(); });
}

/// The rows of an instant, most bytes first.
std::vector<LiveRow> rows_of(const json& instant) {
  const auto numbers = unpacked(instant.at("row"));
  const auto held = unpacked(instant.at("held"));
  const auto blocks = unpacked(instant.at("blocks"));
  const auto lanes = unpacked(instant.at("lane"));
  std::map<std::int64_t, LiveRow> rows;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != 0) {
      auto& [row_bytes, row_blocks, lane] = rows[numbers[i]];
      row_bytes += held.at(i);
      row_blocks += blocks.at(i);
      lane = lanes.at(i);
    }
  }
  std::vector<LiveRow> list;
  for (const auto& [number, row] : rows) {
    list.push_back(row);
  }
  std::ranges::sort(list, std::ranges::greater{});
  return list;
}

/// The same of a report, of as many.
std::vector<LiveRow> rows_of(const analyzer::Report& report, std::size_t most) {
  std::vector<LiveRow> rows;
  for (const analyzer::ReportStack& stack : report.live_stacks) {
    rows.emplace_back(stack.bytes, stack.blocks, static_cast<std::int64_t>(stack.lane));
  }
  std::ranges::sort(rows, std::ranges::greater{});
  rows.resize(std::min(most, rows.size()));
  return rows;
}

/// Of 3,000 functions that hold little, and one that holds nearly all.
void append_many_stacks(TraceBuilder& trace) {
  for (std::uint64_t i = 0; i < 3000; ++i) {
    trace.at_ms(i).allocate(64 + i, trace.stack({"malloc", "f" + std::to_string(i), "main"}));
  }
  trace.allocate(1U << 30U, trace.stack({"malloc", "weights", "main"}));
}

}  // namespace

TEST_CASE("the stacks of every instant of a page add up to its footprint", "[page]") {
  const auto append_load =
      GENERATE(tests::append_naive_load, tests::append_streamed_load, append_many_stacks);
  TraceBuilder trace;
  append_load(trace);
  auto loaded = trace.open();

  const json load = data_of(loaded).at("loads").at(0);

  REQUIRE(load.at("instants").size() >= 30);
  check_instants(load);
  CHECK(std::ranges::count_if(load.at("instants"),
                              [](const json& at) { return at.at("is_peak").get<bool>(); }) == 1);
}

TEST_CASE("small stacks are folded where they branch off, and counted", "[page]") {
  TraceBuilder trace;
  for (std::uint64_t i = 0; i < 500; ++i) {
    trace.allocate(10, trace.stack({"f" + std::to_string(i), "tokenizer", "main"}));
  }
  trace.allocate(100'000'000, trace.stack({"weights", "main"}));
  auto loaded = trace.open();

  const json data = data_of(loaded);

  const json& peak = peak_of(data.at("loads").at(0));
  CHECK(unpacked(peak.at("held")) == std::vector<std::int64_t>{100'000'000, 5000});
  CHECK(unpacked(peak.at("folded")) == std::vector<std::int64_t>{0, 500});
  CHECK(unpacked(peak.at("row")) == std::vector<std::int64_t>{1, 0});
  CHECK(peak.at("stacks") == 501);
  // At 20 KB per branch the whole tokenizer is too small, and folds into main.
  const auto nodes = unpacked(peak.at("node"));
  const auto frames = unpacked(data.at("forest").at("frame"));
  const json& frame = data.at("forest").at("frames").at(
      static_cast<std::size_t>(frames.at(static_cast<std::size_t>(nodes.at(1)))));
  CHECK(data.at("forest").at("strings").at(frame.at(0).get<std::size_t>()) == "main");
}

TEST_CASE("what was alive at the peak are the report's rows, with its bytes and blocks", "[page]") {
  const std::string system = GENERATE("gguf-before", "numpy-before", "tvm-params-before");
  CAPTURE(system);
  auto opened =
      analyzer::LoadedTrace::open(std::string(TIDEMARK_RECORDED_LOADS) + '/' + system + ".tmk");
  REQUIRE(opened.ok());
  analyzer::ReportOptions options;
  options.top = 0;
  const auto report = analyzer::build_report(opened.value(), options);
  REQUIRE(report.ok());

  const json data = tests::page_data(html::report_page(opened.value(), report.value()));

  const json& peak = peak_of(data.at("loads").at(0));
  CHECK(peak.at("stacks") == report.value().live_stack_count);
  const auto rows = rows_of(peak);
  const auto least = peak.at("least").get<std::uint64_t>();
  const auto notable = std::ranges::count_if(
      report.value().live_stacks, [least](const auto& stack) { return stack.bytes >= least; });
  CHECK(rows.size() >= static_cast<std::size_t>(notable));
  CHECK(rows == rows_of(report.value(), rows.size()));
}

TEST_CASE(
    "a stack that an interpreter calls by many ways is one row of a page, however small they are",
    "[page]") {
  constexpr std::size_t kWays = 300;
  TraceBuilder trace;
  for (std::size_t i = 0; i < kWays; ++i) {
    std::vector<std::string> stack{"malloc", "load load.py:3"};
    // One call between two lines of Python is left out of any stack.
    stack.insert(stack.end(), i + 1, "_PyEval_Vector");
    stack.insert(stack.end(), {"<module> load.py:9", "PyEval_EvalCode", "main"});
    trace.allocate(i == 7 ? 200 : 100, trace.stack(stack));
  }
  trace.allocate(100'000'000, trace.stack({"malloc", "weights", "main"}));
  auto loaded = trace.open();

  const json data = data_of(loaded);

  // Each holds less than one in 4,000 bytes, all together more.
  const json& peak = peak_of(data.at("loads").at(0));
  CHECK(peak.at("stacks") == 2);
  CHECK(rows_of(peak) == std::vector<LiveRow>{{100'000'000, 1, 0}, {30'100, kWays, 0}});
  // Of the second the largest is there, to name it; the others are folded, but not one with others.
  const auto folded = unpacked(peak.at("folded"));
  const auto numbers = unpacked(peak.at("row"));
  const auto held = unpacked(peak.at("held"));
  std::int64_t all = 0;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    CHECK(numbers.at(i) != 0);
    CHECK((folded[i] != 0 || held.at(i) == 200 || held.at(i) == 100'000'000));
    all += folded[i];
  }
  CHECK(all == kWays - 1);
}

TEST_CASE("away from the peak, too, a page names what holds much, on whatever branch it hangs",
          "[page]") {
  constexpr std::size_t kDepth = 100;
  constexpr std::uint64_t kLarge = 400'000;
  TraceBuilder trace;
  std::vector<std::string> callers{"main"};
  for (std::size_t i = 0; i < kDepth; ++i) {
    callers.insert(callers.begin(), "import_" + std::to_string(i));
    for (const std::string name : {"large", "small", "smaller"}) {
      std::vector<std::string> stack{"malloc", name + std::to_string(i)};
      stack.insert(stack.end(), callers.begin(), callers.end());
      trace.at_ms(1).allocate(name == "large" ? kLarge : 100'000, trace.stack(stack));
    }
  }
  trace.at_ms(50).allocate(40'000'000, trace.stack({"malloc", "weights", "main"}));
  trace.at_ms(90).allocate(1U << 30U, trace.stack({"malloc", "weights", "main"}));
  trace.at_ms(100).allocate(1);
  auto loaded = trace.open();

  const json load = data_of(loaded).at("loads").at(0);

  const json& before = *std::ranges::find_if(load.at("instants"), [](const json& instant) {
    return instant.at("bytes") == kDepth * (kLarge + 200'000) + 40'000'000;
  });
  const auto rows = rows_of(before);
  CHECK(std::ranges::count_if(rows, [](const LiveRow& row) {
          return std::get<0>(row) == static_cast<std::int64_t>(kLarge);
        }) == kDepth);
  check_instants(load);
}

TEST_CASE("of stacks that are others at every instant a page keeps fewer, and stays small",
          "[page]") {
  TraceBuilder trace;
  std::uint64_t state = 1;
  const auto name = [&state] {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += static_cast<char>('a' + (state >> 33U) % 26U);
    }
    return text;
  };
  for (std::uint64_t round = 0; round < 40; ++round) {
    std::vector<trace::AllocationNumber> blocks;
    for (std::uint64_t i = 0; i < 250; ++i) {
      blocks.push_back(
          trace.at_ms(round * 10).allocate(1000 + i, trace.stack({"malloc", name(), "main"})));
    }
    for (const auto block : blocks) {
      trace.at_ms(round * 10 + 9).release(block);
    }
  }
  auto loaded = trace.open();

  const std::string html = page_of(loaded);

  CHECK(html.size() < 300'000);
  check_instants(tests::page_data(html).at("loads").at(0));
}

TEST_CASE("of the peak's rows alone a page says when they came and went, and on which thread",
          "[page]") {
  TraceBuilder trace;
  const auto worker = trace.thread(trace::ProcessId{0});
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto first = trace.at_ms(10).allocate(5000, load);
  trace.on(worker).at_ms(20).allocate(4000, load);
  trace.allocate(500, trace.stack({"malloc", "keep", "main"}));
  trace.at_ms(30).release(first);
  auto loaded = trace.open();
  const std::string tid = std::to_string(loaded.definitions().threads.at(trace::index(worker)).tid);

  const json load_data = data_of(loaded).at("loads").at(0);

  const json& lives = peak_of(load_data).at("lives");
  REQUIRE(lives.size() == 2);
  CHECK_THAT(
      lives.at(0).get<std::string>(),
      Catch::StartsWith("allocated from 10 ms to 20 ms by 2 threads, most by ") &&
          Catch::EndsWith("; freed at 30 ms, 10 ms after the peak, 0 ns before the end; 1 of 2 "
                          "blocks was never freed"));
  CHECK_THAT(lives.at(1).get<std::string>(),
             Catch::StartsWith("allocated at 20 ms by ") &&
                 Catch::EndsWith("thread " + tid + "; never freed"));
  CHECK(std::ranges::count_if(load_data.at("instants"),
                              [](const json& at) { return at.contains("lives"); }) == 1);
}

TEST_CASE("a page has the largest block at the peak, its life, and the tensors in it", "[page]") {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 20U;
  TraceBuilder trace;
  trace.session.copies_recorded = true;
  const auto model = trace.file("/m/model.safetensors", 4 * kBytes);
  trace.tensor(model, kBytes / 4, kBytes, "embed");
  trace.tensor(model, kBytes / 2, 2 * kBytes, "head");
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto gone = trace.at_ms(1).allocate(5 * kBytes, load);
  trace.at_ms(2).release(gone);
  // Of one row; the larger one alone was read into.
  trace.at_ms(10).allocate(kBytes, load);
  const auto largest = trace.at_ms(20).allocate(3 * kBytes, load);
  trace.at_ms(21).read_into(model, 3 * kBytes, largest);
  trace.origin(largest, 0, model, 0, 3 * kBytes);
  trace.at_ms(25).allocate(2 * kBytes, trace.stack({"malloc", "other", "main"}));
  trace.at_ms(30).release(largest);
  trace.at_ms(90).allocate(1);
  auto loaded = trace.open();

  const json load_data = data_of(loaded).at("loads").at(0);

  const json& told = peak_of(load_data).at("largest");
  CHECK(told.at("bytes") == 3 * kBytes);
  const auto lines = told.at("lines").get<std::vector<std::string>>();
  REQUIRE(lines.size() == 5);
  CHECK_THAT(lines[0], Catch::StartsWith("allocated at 20 ms by ") &&
                           Catch::Contains("; freed at 30 ms, 5.0 ms after the peak"));
  CHECK(lines[1] == "in it: 2 tensors, embed to head");
  CHECK_THAT(lines[2], Catch::StartsWith("embed, ") && Catch::EndsWith(": 1.00 MiB"));
  CHECK_THAT(lines[3], Catch::StartsWith("head, ") && Catch::EndsWith(": 2.00 MiB"));
  CHECK(lines[4] == "came into it: 3.00 MiB read from /m/model.safetensors at 21 ms");
}

TEST_CASE("each other live set says what the peak's rows hold there, and its own at the peak",
          "[page]") {
  TraceBuilder trace;
  const auto old = trace.stack({"malloc", "old", "main"});
  const auto part = trace.stack({"malloc", "part", "main"});
  const auto gone = trace.at_ms(1).allocate(50'000'000, old);
  const auto half = trace.allocate(20'000'000, part);
  trace.allocate(20'000'000, part);
  trace.allocate(7'000'000, trace.stack({"malloc", "kept", "main"}));
  trace.at_ms(2).release(gone);
  trace.release(half);
  trace.allocate(1'000'000, trace.stack({"malloc", "new", "main"}));
  auto loaded = trace.open();

  const json load = data_of(loaded).at("loads").at(0);

  const json& last = load.at("instants").back();
  const auto signed_of = [](std::int64_t coded) {
    return coded % 2 != 0 ? -(coded + 1) / 2 : coded / 2;
  };
  std::vector<std::int64_t> changes;
  for (const std::int64_t coded : unpacked(last.at("changes"))) {
    changes.push_back(signed_of(coded));
  }
  // part, kept, new; and old, the first row of the peak.
  CHECK(changes == std::vector<std::int64_t>{-20'000'000, 0, 1'000'000});
  CHECK(unpacked(last.at("missing")) == std::vector<std::int64_t>{1});
  CHECK(unpacked(last.at("missing_held")) == std::vector<std::int64_t>{0});
  CHECK_FALSE(peak_of(load).contains("changes"));
}

TEST_CASE("a page has the live sets that a reader asks for: the load's begin, and behind a fall",
          "[page]") {
  TraceBuilder trace;
  const auto model = trace.file("/m/model.safetensors", 8 << 20U);
  const auto stack = trace.stack({"malloc", "noise", "main"});
  const auto some = [&](std::uint64_t from_ms) {
    for (std::uint64_t i = 0; i < 40; ++i) {
      trace.at_ns(from_ms * 1'000'000 + i * 1000).release(trace.allocate(100, stack));
    }
  };
  some(1);
  trace.at_ns(937'123'400).open_file(model);
  const auto whole = trace.at_ms(1001).allocate(8 << 20U, stack);
  trace.read_into(model, 8 << 20U, whole);
  trace.allocate(8 << 20U, stack);
  some(1100);
  trace.at_ns(1'203'456'700).release(whole);
  some(1250);
  some(9900);
  auto loaded = trace.open();

  const json instants = data_of(loaded).at("loads").at(0).at("instants");

  const auto has = [&](std::uint64_t at_ns, std::uint64_t bytes) {
    return std::ranges::any_of(instants, [&](const json& at) {
      return at.at("at_ns") == at_ns && at.at("bytes") == bytes;
    });
  };
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stored;
  for (const json& at : instants) {
    stored.emplace_back(at.at("at_ns"), at.at("bytes"));
  }
  CAPTURE(json(stored).dump());
  CHECK(has(937'123'400, 0));
  CHECK(has(1'203'456'700, 8 << 20U));
}

TEST_CASE("a page of blocks of any size comes to an end", "[page]") {
  constexpr std::uint64_t kStacks = 600;
  TraceBuilder trace;
  trace.at_ms(10);
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < kStacks; ++i) {
    blocks.push_back(trace.allocate(UINT64_MAX / kStacks,
                                    trace.stack({"malloc", "load_" + std::to_string(i), "main"})));
  }
  trace.at_ms(500).release(blocks.front());
  trace.at_ms(900).allocate(1, trace.stack({"malloc", "use", "main"}));
  auto loaded = trace.open();

  const json instants = data_of(loaded).at("loads").at(0).at("instants");

  CHECK(instants.size() > 1);
}
