// Collapsed, flame graph, speedscope and CSV: stacks as text.
#include "analyzer/export/collapsed.hpp"
#include "analyzer/export/csv.hpp"
#include "analyzer/export/flamegraph.hpp"
#include "analyzer/export/speedscope.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <numeric>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

/// The live set at the end, in each format.
struct AtEnd {
  analyzer::LoadedTrace trace;
  exports::StackTable table;

  explicit AtEnd(TraceBuilder& builder)
      : trace(builder.open()), table(exports::stacks_at(trace, trace.instant_at(UINT64_MAX))) {}
  std::string collapsed() { return exports::collapsed_text(trace.definitions(), table); }
  std::string flamegraph() { return exports::flamegraph_svg(trace.definitions(), table); }
  nlohmann::json speedscope() {
    return nlohmann::json::parse(exports::speedscope_json(trace.definitions(), table));
  }
  std::string csv() { return exports::stacks_csv(trace.definitions(), table); }
};

std::uint64_t sum_of(const nlohmann::json& numbers) {
  const auto values = numbers.get<std::vector<std::uint64_t>>();
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

}  // namespace

TEST_CASE("collapsed: a line a stack, outermost first, below its lane", "[export]") {
  TraceBuilder trace;
  trace.allocate(100, trace.stack({"malloc", "copy", "main"}));
  trace.allocate(500, trace.stack({"malloc", "load a.cpp:4", "main"}));
  trace.allocate(30, trace.stack({"malloc", "load a.cpp:9", "main"}));
  trace.allocate(7, trace.stack({"mmap", "main"}), trace::Lane::kAnon);
  trace.map(trace.file("/m/model", 1 << 20), 1 << 20);

  CHECK(AtEnd(trace).collapsed() ==
        "heap;main;load;malloc 530\nheap;main;copy;malloc 100\nanon;main;mmap 7\n");
}

TEST_CASE("flame graph: modules of two files are two frames, from any of their lines", "[export]") {
  TraceBuilder trace;
  trace.allocate(600, trace.stack({"malloc", "<module> train.py:12", "main"}));
  trace.allocate(100, trace.stack({"malloc", "<module> train.py:40", "main"}));
  trace.allocate(300, trace.stack({"malloc", "<module> other.py:3", "main"}));
  const std::string svg = AtEnd(trace).flamegraph();

  CHECK_THAT(svg, Catch::Contains("<title>&lt;module&gt;\n700 B (70.0%)") &&
                      Catch::Contains("&lt;module&gt; (train.py)</text>"));
  CHECK_THAT(svg, Catch::Contains("<title>&lt;module&gt;\n300 B (30.0%)") &&
                      Catch::Contains("&lt;module&gt; (other.py)</text>"));
}

TEST_CASE("flame graph: frames are as wide as their bytes, below their callers", "[export]") {
  TraceBuilder trace;
  trace.allocate(100, trace.stack({"malloc", "copy", "main"}));
  trace.allocate(250, trace.stack({"malloc", "load", "main"}));
  trace.allocate(50, trace.stack({"malloc", "load", "main"}));
  trace.allocate(100, trace.stack({"mmap", "main"}), trace::Lane::kAnon);
  trace.map(trace.file("/m/model", 1 << 20), 1 << 20);  // No part of the footprint.
  const std::string svg = AtEnd(trace).flamegraph();

  const auto frame = [](double x, int y, double width, const std::string& title) {
    std::array<char, 100> place{};
    std::snprintf(place.data(), place.size(), R"(<svg x="%.4f%%" y="%d" width="%.4f%%")", x, y,
                  width);
    return Catch::Contains(std::string(place.data()) + R"( height="17"><title>)" + title);
  };
  CHECK_THAT(svg, frame(0, 46, 80, "heap\n400 B (80.0%) in 3 blocks</title>"));
  CHECK_THAT(svg, frame(0, 64, 80, "main\n400 B (80.0%) in 3 blocks</title>"));
  CHECK_THAT(svg, frame(0, 82, 60, "load\n300 B (60.0%) in 2 blocks</title>"));
  CHECK_THAT(svg, frame(60, 82, 20, "copy\n100 B (20.0%) in 1 block</title>"));
  CHECK_THAT(svg, frame(60, 100, 20, "malloc\n100 B (20.0%) in 1 block</title>"));
  CHECK_THAT(svg, frame(80, 46, 20, "anon\n100 B (20.0%) in 1 block</title>"));
  CHECK_THAT(svg, Catch::Contains(">500 B alive at ") && Catch::Contains(">load</text>"));
  CHECK(svg.find("file") == std::string::npos);
}

TEST_CASE("flame graph: names with a meaning in XML are text, small ones fold", "[export]") {
  TraceBuilder trace;
  trace.allocate(99'900, trace.stack({"malloc", "f<a&b>()", "main"}));
  trace.allocate(60, trace.stack({"malloc", "tiny", "main"}));
  trace.allocate(40, trace.stack({"malloc", "small", "main"}));
  AtEnd end(trace);
  CHECK_THAT(end.flamegraph(), Catch::Contains("<title>f&lt;a&amp;b&gt;()\n"));
  CHECK_THAT(end.flamegraph(), Catch::Contains("<title>tiny\n"));
  exports::StackTable table = end.table;
  table.rows.front().values.bytes = 1U << 30U;
  CHECK_THAT(exports::flamegraph_svg(end.trace.definitions(), table),
             Catch::Contains("60 B (&lt;0.01%) in"));
  // Too narrow for a letter.
  CHECK_THAT(end.flamegraph(), !Catch::Contains(">tiny</text>"));
  const std::string folded = exports::flamegraph_svg(end.trace.definitions(), end.table, 0.01);
  CHECK_THAT(folded, Catch::Contains("<title>(smaller)\n100 B"));
  CHECK_THAT(folded, !Catch::Contains("tiny"));
}

TEST_CASE("collapsed: names that would break a line are mended", "[export]") {
  TraceBuilder trace;
  trace.allocate(8, trace.stack({"alloc 12", "f(a; b)\nnext", "main"}));

  CHECK(AtEnd(trace).collapsed() == "heap;main;f(a: b)?next;alloc 12 8\n");
}

TEST_CASE("memory without a stack is there, as unknown", "[export]") {
  TraceBuilder trace;
  trace.allocate(8);

  AtEnd end(trace);

  CHECK(end.collapsed() == "heap;[unknown stack] 8\n");
  CHECK_THAT(end.csv(), Catch::Contains("\nheap,8,1,[unknown stack],,,[unknown stack]\n"));
  CHECK(end.speedscope()["profiles"][0]["endValue"] == 8);
}

TEST_CASE("an empty live set gives empty formats that still parse", "[export]") {
  TraceBuilder trace;

  AtEnd end(trace);

  CHECK(end.collapsed().empty());
  CHECK(end.csv() == "lane,bytes,blocks,function,file,line,stack\n");
  const auto profiles = end.speedscope().at("profiles");
  REQUIRE(profiles.size() == 1);  // Its viewer refuses a file without any.
  CHECK(profiles[0].at("samples").empty());
}

TEST_CASE("speedscope: a profile a lane, whose weights are the bytes", "[export]") {
  TraceBuilder trace;
  trace.allocate(100, trace.stack({"malloc", "copy", "main"}));
  trace.allocate(500, trace.stack({"malloc", "load a.cpp:4", "main"}));
  trace.map(trace.file("/m/model", 4096), 4096);

  const auto json = AtEnd(trace).speedscope();

  CHECK(json.at("$schema") == "https://www.speedscope.app/file-format-schema.json");
  const auto& profiles = json.at("profiles");
  REQUIRE(profiles.size() == 2);
  CHECK_THAT(profiles[0].at("name").get<std::string>(), Catch::StartsWith("heap at "));
  CHECK_THAT(profiles[1].at("name").get<std::string>(), Catch::StartsWith("file at "));
  CHECK(profiles[0].at("unit") == "bytes");
  CHECK(profiles[0].at("weights") == nlohmann::json({500, 100}));
  CHECK(profiles[0].at("endValue") == 600);
  const auto& frames = json.at("shared").at("frames");
  const auto& sample = profiles[0].at("samples")[0];
  REQUIRE(sample.size() == 3);
  CHECK(frames.at(sample[0].get<std::size_t>()).at("name") == "main");
  const auto& load = frames.at(sample[1].get<std::size_t>());
  CHECK(load.at("name") == "load");
  CHECK(load.at("file") == "/src/a.cpp");
  CHECK(load.at("line") == 4);
}

TEST_CASE("speedscope: over a range, kept, allocated and freed", "[export]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load", "main"});
  trace.at_ms(1).allocate(1000, load);
  trace.at_ms(2).release(trace.allocate(300, load));
  trace.allocate(40, load);
  auto loaded = trace.open();

  const auto table =
      exports::stacks_between(loaded, loaded.instant_at(1'500'000), loaded.instant_at(3'000'000));
  const auto json = nlohmann::json::parse(exports::speedscope_json(loaded.definitions(), table));

  std::vector<std::uint64_t> sums;
  for (const auto& profile : json.at("profiles")) {
    sums.push_back(sum_of(profile.at("weights")));
  }
  CHECK(sums == std::vector<std::uint64_t>{40, 340, 300});
}

TEST_CASE("names that are no UTF-8 still make JSON that parses", "[export]") {
  TraceBuilder trace;
  trace.allocate(8, trace.stack({"bad\xff name", "quote\" back\\slash", "main"}));

  const auto frames = AtEnd(trace).speedscope().at("shared").at("frames");

  CHECK(frames.size() == 5);  // The unknown stack and the smaller ones among them.
}

TEST_CASE("csv: a row a lane and stack, quoted where it must be", "[export]") {
  TraceBuilder trace;
  trace.allocate(500, trace.stack({"malloc", "load(int, \"x\") a.cpp:4", "main"}));
  trace.map(trace.file("/m/model", 4096), 4096);

  CHECK(AtEnd(trace).csv() ==
        "lane,bytes,blocks,function,file,line,stack\n"
        "heap,500,1,\"load(int, \"\"x\"\")\",/src/a.cpp,4,\"main;load(int, \"\"x\"\");malloc\"\n"
        "file,4096,1,[unknown stack],,,[unknown stack]\n");
}

TEST_CASE("csv: over a range a row says what was allocated and freed", "[export]") {
  TraceBuilder trace;
  const auto load = trace.stack({"load", "main"});
  trace.at_ms(2).release(trace.allocate(300, load));
  trace.allocate(40, load);
  auto loaded = trace.open();

  const auto table = exports::stacks_between(loaded, {}, loaded.instant_at(3'000'000));

  CHECK_THAT(exports::stacks_csv(loaded.definitions(), table),
             Catch::Contains("\nheap,40,1,340,2,300,1,load,,,main;load\n"));
}

TEST_CASE("stacks below the share are folded into one, and no byte is lost", "[export]") {
  TraceBuilder trace;
  trace.allocate(9'000, trace.stack({"malloc", "load", "main"}));
  for (int i = 0; i < 10; ++i) {
    trace.allocate(100, trace.stack({"malloc", "small" + std::to_string(i), "main"}));
  }
  AtEnd at_end(trace);
  const auto& definitions = at_end.trace.definitions();

  const auto collapsed = exports::collapsed_text(definitions, at_end.table, 0.05);
  const auto speedscope =
      nlohmann::json::parse(exports::speedscope_json(definitions, at_end.table, 0.05));

  CHECK(collapsed == "heap;main;load;malloc 9000\nheap;main;(smaller) 1000\n");
  CHECK(sum_of(speedscope.at("profiles").at(0).at("weights")) == 10'000);
  CHECK(speedscope.at("profiles").at(0).at("samples").size() == 2);
  CHECK(exports::collapsed_text(definitions, at_end.table, 0) == at_end.collapsed());
}

TEST_CASE("over a range, what was allocated and freed is folded with its sum, too", "[export]") {
  TraceBuilder trace;
  trace.allocate(9'000, trace.stack({"malloc", "load", "main"}));
  for (int i = 0; i < 10; ++i) {
    trace.release(
        trace.allocate(100, trace.stack({"malloc", "small" + std::to_string(i), "main"})));
  }
  auto loaded = trace.open();
  const auto table =
      exports::stacks_between(loaded, analyzer::Instant{}, loaded.instant_at(UINT64_MAX));

  const auto json =
      nlohmann::json::parse(exports::speedscope_json(loaded.definitions(), table, 0.05));

  const auto& profiles = json.at("profiles");
  REQUIRE(profiles.size() == 3);
  CHECK(sum_of(profiles.at(1).at("weights")) == 10'000);  // allocated
  CHECK(profiles.at(1).at("weights").size() == 2);
  CHECK(profiles.at(2).at("weights") == nlohmann::json{1'000});  // freed
}
