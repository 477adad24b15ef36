#include "analyzer/report/report_json.hpp"

#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "tests/analyzer/golden.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace tidemark;
using nlohmann::json;
using tests::TraceBuilder;

namespace {

std::string text_of(TraceBuilder& trace, const analyzer::ReportOptions& options = {}) {
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, options);
  REQUIRE(report.ok());
  return analyzer::report_json(report.value());
}

json json_of(TraceBuilder& trace, const analyzer::ReportOptions& options = {}) {
  return json::parse(text_of(trace, options));
}

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

}  // namespace

TEST_CASE("the JSON report of a naive load reads as agreed", "[report][json]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);

  tests::check_golden("naive.json", text_of(trace));
}

TEST_CASE("the JSON report of a streamed load reads as agreed", "[report][json]") {
  TraceBuilder trace;
  tests::append_streamed_load(trace);

  tests::check_golden("streamed.json", text_of(trace));
}

TEST_CASE("with a process that ran on no peak is the highest possible", "[report][json]") {
  TraceBuilder trace;
  trace.allocate(100);
  CHECK(json_of(trace).at("loss").at("peak_at_most_bytes") == 100);
  TraceBuilder left;
  left.allocate(100);
  left.session.loss.processes_left = 1;
  const json loss = json_of(left).at("loss");
  CHECK(loss.at("processes_left") == 1);
  CHECK(loss.at("peak_at_most_bytes").is_null());
  CHECK(loss.at("hides_memory") == true);
}

TEST_CASE("the JSON report has the keys of schema 1", "[report][json]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);

  const json report = json_of(trace);

  CHECK(report.at("schema") == 1);
  CHECK(report.at("exit_status") == 0);
  CHECK(report.at("duration_ns") == 4'120'000'000);
  CHECK(report.at("model").at("bytes") == 5 * kGiB);
  CHECK(report.at("model").at("files").at(0).at("bytes_read") == 5 * kGiB);
  CHECK(report.at("peak").at("ratio").get<double>() == Approx(2.0).margin(0.001));
  CHECK(report.at("peak").at("phase") == "deserialize");
  CHECK(report.at("at_peak").at(0).at("stack").at(1).at("line") == 212);
  CHECK(report.at("phases").size() == 2);
  for (const char* key :
       {"heap_bytes", "anon_bytes", "file_bytes", "device_bytes", "rss_anon_bytes",
        "rss_file_bytes", "rss_total_bytes", "unexplained_bytes"}) {
    CHECK(report.at("lane_peaks").at(key).is_number_unsigned());
  }
  for (const char* key : {"allocations", "frees", "failed", "mappings", "file_reads", "lost"}) {
    CHECK(report.at("events").at(key).is_number_unsigned());
  }
  CHECK(report.at("processes").at(0).at("peak").at("footprint_bytes") ==
        report.at("peak").at("footprint_bytes"));
  CHECK(report.at("overhead").contains("own_bytes_in_host"));
  CHECK(report.at("overhead").contains("blocked_ns"));
}

TEST_CASE("listed stacks, the rest and the unattributed sum to the footprint", "[report][json]") {
  TraceBuilder trace;
  for (int i = 0; i < 20; ++i) {
    trace.allocate(100 + static_cast<std::uint64_t>(i),
                   trace.stack({"malloc", "f" + std::to_string(i), "main"}));
  }

  const json report = json_of(trace, {.at_ns = {}, .top = 5, .model = ""});

  REQUIRE(report.at("at_peak").size() == 5);
  std::int64_t sum = report.at("at_peak_rest").at("bytes").get<std::int64_t>() +
                     report.at("at_peak_rest").at("unattributed_bytes").get<std::int64_t>();
  for (const auto& stack : report.at("at_peak")) {
    sum += stack.at("bytes").get<std::int64_t>();
  }
  CHECK(sum == report.at("peak").at("footprint_bytes").get<std::int64_t>());
  CHECK(report.at("at_peak_rest").at("stacks") == 15);
}

TEST_CASE("at a time the list is the live set of that time", "[report][json]") {
  TraceBuilder trace;
  trace.at_ms(1).allocate(100, trace.stack({"first"}));
  trace.at_ms(5).allocate(5000, trace.stack({"second"}));

  const json report = json_of(trace, {.at_ns = 2'000'000, .top = 0, .model = ""});

  CHECK(report.at("at_ns") == 2'000'000);
  REQUIRE(report.at("at_peak").size() == 1);
  CHECK(report.at("at_peak").at(0).at("stack").at(0).at("function") == "first");
  CHECK(report.at("peak").at("footprint_bytes") == 5100);
}

TEST_CASE("a trace without an end has no exit status and says that it is torn", "[report][json]") {
  TraceBuilder trace;
  trace.at_ms(7).allocate(10);
  auto loaded = trace.break_off();

  const json report =
      json::parse(analyzer::report_json(analyzer::build_report(loaded, {}).value()));

  CHECK(report.at("exit_status").is_null());
  CHECK(report.at("duration_ns") == 7'000'000);
  CHECK(report.at("peak").at("footprint_bytes") == 10);
  CHECK(report.at("loss").at("torn") == true);
}

TEST_CASE("what is unknown is null", "[report][json]") {
  TraceBuilder trace;
  trace.allocate(10, trace.stack({"?unknown"}));

  const json report = json_of(trace);

  CHECK(report.at("peak").at("ratio").is_null());
  CHECK(report.at("peak").at("phase").is_null());
  const json& frame = report.at("at_peak").at(0).at("stack").at(0);
  CHECK(frame.at("function") == "loader+0x1000");
  CHECK(frame.at("file").is_null());
  CHECK(frame.at("line").is_null());
}

TEST_CASE("a given model replaces the one found and the one recorded", "[report][json]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  trace.session.model = "1GiB";

  CHECK(json_of(trace).at("model").at("bytes") == kGiB);
  TraceBuilder again;
  again.allocate(1000);
  again.session.model = "1GiB";
  CHECK(json_of(again, {.at_ns = {}, .top = 1, .model = "500"}).at("peak").at("ratio") == 2.0);
}

TEST_CASE("bytes that are no UTF-8 still give JSON that parses", "[report][json]") {
  TraceBuilder trace;
  trace.read(trace.file("/m/\xff.bin", 2 << 20), 2 << 20);

  CHECK(json_of(trace).at("model").at("files").size() == 1);
}

namespace {

/// More stacks than are named with a report, each a little larger than the next.
void append_many_stacks(TraceBuilder& trace) {
  for (std::size_t i = 0; i < analyzer::kNamedStacks + 20; ++i) {
    trace.allocate(100'000 - i, trace.stack({"malloc", "load" + std::to_string(i), "main"}));
  }
  trace.allocate(10);  // Without a stack.
}

std::string joined(analyzer::ReportJsonPieces pieces) {
  std::string text;
  for (std::string piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
    text += piece;
  }
  return text;
}

}  // namespace

TEST_CASE("stacks that are named when they are shown read as those that are named at once",
          "[report][json]") {
  TraceBuilder trace;
  append_many_stacks(trace);
  auto loaded = trace.open();
  analyzer::ReportOptions options;
  options.top = 0;
  const auto at_once = analyzer::build_report(loaded, options);
  options.names_when_shown = true;
  const auto when_shown = analyzer::build_report(loaded, options);
  REQUIRE(at_once.ok());
  REQUIRE(when_shown.ok());

  SECTION("only the largest have names before") {
    const auto& stacks = when_shown.value().live_stacks;
    REQUIRE(stacks.size() == analyzer::kNamedStacks + 21);
    CHECK_FALSE(stacks[analyzer::kNamedStacks - 1].frames.empty());
    CHECK(stacks[analyzer::kNamedStacks].frames.empty());
    CHECK(analyzer::frames_of(when_shown.value(), stacks[analyzer::kNamedStacks]).size() == 3);
    CHECK(analyzer::frames_of(when_shown.value(), stacks.back()).empty());
  }
  SECTION("as JSON") {
    const std::string text = analyzer::report_json(at_once.value());
    CHECK(analyzer::report_json(when_shown.value()) == text);
    const std::string pieces = joined(analyzer::ReportJsonPieces(when_shown.value()));
    CHECK(joined(analyzer::ReportJsonPieces(at_once.value())) == pieces);
    CHECK(json::parse(pieces) == json::parse(text));
    // The largest as in any report, the others on a line each, and the rest as it was.
    CHECK(pieces.find("\n      \"bytes\": 99001,\n") == text.find("\n      \"bytes\": 99001,\n"));
    CHECK(pieces.find("\n    {\"bytes\":99000,") != std::string::npos);
    const std::string end = text.substr(text.find("\n  ],\n  \"at_peak_rest\""));
    CHECK(pieces.substr(pieces.size() - end.size()) == end);
  }
  SECTION("as text and as markdown") {
    const analyzer::TextStyle style{.width = 100, .colour = false, .utf8 = true};
    CHECK(analyzer::report_text(when_shown.value(), style) ==
          analyzer::report_text(at_once.value(), style));
    CHECK(analyzer::report_markdown(when_shown.value()) ==
          analyzer::report_markdown(at_once.value()));
  }
}

TEST_CASE("a report of few stacks is one piece of JSON", "[report][json]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  analyzer::ReportJsonPieces pieces(report.value());

  CHECK(pieces.next() == analyzer::report_json(report.value()));
  CHECK(pieces.next().empty());
}
