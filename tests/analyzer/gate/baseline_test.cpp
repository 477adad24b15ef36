#include "analyzer/gate/baseline.hpp"

#include "analyzer/io/whole_file.hpp"
#include "tests/analyzer/golden.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace tidemark;
using analyzer::Gauge;
using tests::TraceBuilder;

namespace {

analyzer::Baseline baseline_from(TraceBuilder& trace) {
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, analyzer::comparison_options({}));
  REQUIRE(report.ok());
  return analyzer::make_baseline(report.value());
}

std::string stored() {
  TraceBuilder trace;
  trace.allocate(1000, trace.stack({"malloc", "f"}));
  return analyzer::baseline_json(baseline_from(trace));
}

std::string baseline_refusal(const std::string& text) {
  const auto baseline = analyzer::parse_baseline(text, "B.json");
  REQUIRE_FALSE(baseline.ok());
  CHECK(baseline.error().message.find('\n') == std::string::npos);
  CHECK_THAT(baseline.error().message, Catch::StartsWith("B.json is "));
  return baseline.error().message;
}

}  // namespace

TEST_CASE("the baseline of a naive load reads as agreed", "[baseline]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);

  tests::check_golden("baseline-naive.json", analyzer::baseline_json(baseline_from(trace)));
}

TEST_CASE("a baseline keeps what the kernel's mark said, and one without it is read",
          "[baseline]") {
  nlohmann::json json = nlohmann::json::parse(stored());
  CHECK(json["lane_peaks"]["rss_anon_by_mark_bytes"] == 0);
  json["lane_peaks"]["rss_anon_by_mark_bytes"] = 7000;
  const auto read = analyzer::parse_baseline(json.dump(), "B.json");
  REQUIRE(read.ok());
  CHECK(read.value().private_by_mark == 7000);
  json["lane_peaks"].erase("rss_anon_by_mark_bytes");
  const auto older = analyzer::parse_baseline(json.dump(), "B.json");
  REQUIRE(older.ok());
  CHECK(older.value().private_by_mark == 0);
}

TEST_CASE("a stored baseline reads back as it was", "[baseline]") {
  TraceBuilder trace;
  tests::append_streamed_load(trace);
  const auto baseline = baseline_from(trace);
  const std::string text = analyzer::baseline_json(baseline);

  const auto read = analyzer::parse_baseline(text, "B.json");

  REQUIRE(read.ok());
  CHECK(analyzer::baseline_json(read.value()) == text);
  CHECK(read.value().stacks.size() == baseline.stacks.size());
  for (int gauge = 0; gauge <= static_cast<int>(Gauge::kRssShmem); ++gauge) {
    const analyzer::Subject subject{.gauge = static_cast<Gauge>(gauge), .phase = {}};
    CAPTURE(gauge);
    CHECK(analyzer::baseline_bytes(read.value(), subject) ==
          analyzer::baseline_bytes(baseline, subject));
  }
}

TEST_CASE("a baseline holds no address, line or time of its run", "[baseline]") {
  const auto text_at = [](std::uint64_t ms, const std::string& line) {
    TraceBuilder trace;
    trace.stack({"shifts every address"});
    for (std::uint64_t i = 0; i < ms; ++i) {
      trace.stack({"shift " + std::to_string(i)});
    }
    trace.at_ms(ms).allocate(100, trace.stack({"malloc", "?lib", "load a.cpp:" + line, "main"}));
    return analyzer::baseline_json(baseline_from(trace));
  };

  CHECK(text_at(1, "10") == text_at(7, "99"));
}

TEST_CASE("a baseline keeps the largest stacks and sums the others", "[baseline]") {
  TraceBuilder trace;
  for (std::uint64_t i = 1; i <= 130; ++i) {
    trace.allocate(i, trace.stack({"malloc", "f" + std::to_string(i)}));
  }

  const auto baseline = baseline_from(trace);

  CHECK(baseline.stacks.size() == 100);
  CHECK(baseline.stacks.front().bytes == 130);
  CHECK(baseline.rest_stacks == 30);
  CHECK(baseline.rest.bytes == 30 * 31 / 2);
  CHECK(baseline.rest.blocks == 30);
}

TEST_CASE("calls from several lines of one function are one stack of a baseline", "[baseline]") {
  TraceBuilder trace;
  trace.allocate(10, trace.stack({"malloc", "f a.cpp:1"}));
  trace.allocate(20, trace.stack({"malloc", "f a.cpp:2"}));

  const auto baseline = baseline_from(trace);

  REQUIRE(baseline.stacks.size() == 1);
  CHECK(baseline.stacks.front().bytes == 30);
  CHECK(baseline.stacks.front().blocks == 2);
}

TEST_CASE("a baseline of another schema is refused with both numbers", "[baseline]") {
  auto json = nlohmann::ordered_json::parse(stored());
  json["schema"] = 2;

  const std::string message = baseline_refusal(json.dump());

  CHECK_THAT(message, Catch::Contains("schema 2") && Catch::Contains("reads schema 1"));
}

TEST_CASE("what is no baseline is refused in one sentence", "[baseline]") {
  const auto whole = nlohmann::ordered_json::parse(stored());
  for (const auto& [key, ignored] : whole.items()) {
    CAPTURE(key);
    auto without = whole;
    without.erase(key);
    CHECK_FALSE(baseline_refusal(without.dump()).empty());
    auto wrong = whole;
    wrong[key] = true;
    CHECK_FALSE(baseline_refusal(wrong.dump()).empty());
  }
  for (const char* text : {"", "no JSON", "[]", "3", "{}", R"({"schema": 1})"}) {
    CAPTURE(text);
    CHECK_FALSE(baseline_refusal(text).empty());
  }
}

TEST_CASE("a negative size in a baseline is not a huge one", "[baseline]") {
  auto json = nlohmann::ordered_json::parse(stored());
  json["peak"]["footprint_bytes"] = -1;

  CHECK_THAT(baseline_refusal(json.dump()),
             Catch::Contains("'footprint_bytes' is no whole number"));
}

TEST_CASE("a file is replaced whole, and a link to it stays", "[baseline]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("B.json");
  REQUIRE(analyzer::write_whole_file(path, "old").ok());
  std::filesystem::create_symlink(path, folder.file("link"));

  CHECK(analyzer::write_whole_file(folder.file("link"), "new").ok());
  CHECK_FALSE(analyzer::write_whole_file("/no/such/folder/B.json", "x").ok());

  CHECK(analyzer::read_whole_file(path).value() == "new");
  CHECK(std::filesystem::is_symlink(folder.file("link")));
  CHECK_FALSE(std::filesystem::exists(path + ".incomplete"));
}

TEST_CASE("a file without an end is refused", "[baseline]") {
  CHECK_THAT(analyzer::read_baseline("/dev/zero").error().message, Catch::Contains("64 MiB"));
}

TEST_CASE("a file that cannot be read is said with its path", "[baseline]") {
  CHECK_THAT(analyzer::read_baseline("/no/such.json").error().message,
             Catch::Contains("cannot read /no/such.json: No such file"));
  CHECK_THAT(analyzer::read_baseline("/").error().message, Catch::Contains("Is a directory"));
}

TEST_CASE("a baseline has the highest of the phases of one name, in order of their first",
          "[baseline]") {
  analyzer::Report report;
  for (const auto& [name, bytes] : {std::pair("read", 5U), {"convert", 9U}, {"read", 7U}}) {
    report.phases.push_back({.name = name, .peak_bytes = bytes});
  }
  const auto phases = analyzer::make_baseline(report).phases;
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].name == "read");
  CHECK(phases[0].peak_bytes == 7);
  CHECK(phases[1].name == "convert");
}

// Each was looked for among all before it: the time limit of the tests is what fails then.
TEST_CASE("hundreds of thousands of phases make a baseline at once", "[baseline]") {
  constexpr std::size_t kPhases = 300'000;
  analyzer::Report report;
  for (std::size_t i = 0; i < kPhases; ++i) {
    report.phases.push_back({.name = "a phase of some length, number " + std::to_string(i)});
  }
  CHECK(analyzer::make_baseline(report).phases.size() == kPhases);
}
