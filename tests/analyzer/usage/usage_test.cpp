#include "analyzer/usage/usage.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/report/report_json.hpp"
#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <set>
#include <sstream>

using namespace tidemark;
using analyzer::Usage;
using analyzer::UsageGrouping;
using tests::TraceBuilder;
using trace::Lane;

namespace {

Usage usage_by(TraceBuilder& trace,
               UsageGrouping by,
               const std::vector<std::string>& suppressions = {}) {
  auto loaded = trace.open();
  std::vector<analyzer::Suppression> patterns;
  for (const std::string& pattern : suppressions) {
    patterns.push_back({pattern});
  }
  return analyzer::usage_of(loaded, analyzer::find_peak(loaded).at, by, patterns);
}

/// Two stacks that read the same but for their names, in three blocks of events.
void append_mixed_use(TraceBuilder& trace) {
  const auto parse = trace.stack({"malloc", "parse loader.cpp:10", "main loader.cpp:90"});
  const auto keep = trace.stack({"malloc", "keep loader.cpp:20", "main loader.cpp:90"});
  for (int i = 0; i < 5; ++i) {
    trace.release(trace.allocate(100, parse));  // Temporary.
  }
  trace.flush();
  const auto kept = trace.allocate(100, parse);
  trace.allocate(64, keep);
  trace.release(kept);  // Not the last thing that was allocated.
  trace.flush();
  const auto grown = trace.allocate(10, keep);
  trace.allocate(1U << 20U, keep, Lane::kAnon);  // Mappings are not the heap's affair.
  trace.reallocate(grown, 1000, keep);           // So the 10 bytes were temporary.
}

std::set<std::uint64_t> sizes_of(const Usage& usage) {
  std::set<std::uint64_t> sizes;
  for (const auto& row : usage.rows) {
    sizes.insert(row.least_bytes);
  }
  return sizes;
}

analyzer::Report report_by(TraceBuilder& trace, UsageGrouping by, std::size_t top = 10) {
  auto loaded = trace.open();
  analyzer::ReportOptions options;
  options.top = top;
  options.usage = by;
  options.suppressions = {{"keep"}, {"nowhere"}};
  auto report = analyzer::build_report(loaded, options);
  REQUIRE(report.ok());
  return std::move(report.value());
}

}  // namespace

TEST_CASE("an allocation is temporary if its thread's next step with the heap frees it",
          "[usage]") {
  TraceBuilder trace;
  append_mixed_use(trace);
  const Usage usage = usage_by(trace, UsageGrouping::kTemporary);

  CHECK(usage.all.allocations == 9);
  CHECK(usage.all.temporary == 6);
  REQUIRE(usage.rows.size() == 2);
  CHECK(usage.rows[0].counts.temporary == 5);
  CHECK(usage.rows[0].counts.allocations == 6);
  CHECK(usage.rows[0].counts.bytes == 600);
  CHECK(usage.rows[1].counts.temporary == 1);
  CHECK(usage.rows[1].counts.allocations == 3);
}

TEST_CASE("what other threads do makes no allocation temporary, nor keeps it from it", "[usage]") {
  TraceBuilder trace;
  const auto other = trace.thread(trace::ProcessId{0});
  const auto first = trace.allocate(1 << 4);
  trace.on(other);
  const auto second = trace.allocate(1 << 5);
  trace.on(trace::ThreadId{0}).release(first);  // Temporary: its own thread did nothing else.
  const auto third = trace.allocate(1 << 6);
  trace.on(other).release(third);  // By another thread: none.
  trace.release(second);           // Another step of its own thread came before: none.
  trace.on(trace::ThreadId{0});
  const auto fourth = trace.allocate(1 << 7);
  trace.release_part(fourth, 100);
  trace.release(fourth);  // A part of it is no step: temporary.

  const Usage usage = usage_by(trace, UsageGrouping::kSize);
  std::map<std::uint64_t, std::uint64_t> temporary;
  for (const auto& row : usage.rows) {
    temporary[row.least_bytes] = row.counts.temporary;
  }
  CHECK(temporary ==
        std::map<std::uint64_t, std::uint64_t>{{1 << 4, 1}, {1 << 5, 0}, {1 << 6, 0}, {1 << 7, 1}});
}

TEST_CASE("stacks by their number of allocations, most first", "[usage]") {
  TraceBuilder trace;
  append_mixed_use(trace);
  const Usage usage = usage_by(trace, UsageGrouping::kAllocations);

  REQUIRE(usage.rows.size() == 2);
  CHECK(usage.rows[0].counts.allocations == 6);
  CHECK(usage.rows[1].counts.allocations == 3);
  CHECK(usage.rows[1].counts.bytes == 64 + 10 + 1000);
  CHECK(usage.all.bytes == 600 + 1074);
}

TEST_CASE("leaked is what was never freed, whatever the end of its process took", "[usage]") {
  const bool ends = GENERATE(false, true);
  TraceBuilder trace;
  append_mixed_use(trace);
  if (ends) {
    trace.end_process(trace::ProcessId{0});
  }
  const Usage usage = usage_by(trace, UsageGrouping::kLeaked);

  REQUIRE(usage.rows.size() == 1);
  CHECK(usage.rows[0].counts.held_blocks == 2);
  CHECK(usage.rows[0].counts.held_bytes == 64 + 1000);
  CHECK(usage.all.held_bytes == 1064);
}

TEST_CASE("a suppressed leak is none, and one that suppresses nothing is known", "[usage]") {
  TraceBuilder trace;
  append_mixed_use(trace);
  trace.allocate(7, trace.stack({"malloc", "parse loader.cpp:10", "main loader.cpp:90"}));
  const Usage usage = usage_by(trace, UsageGrouping::kLeaked, {"^nothing", "^keep$", "main"});

  CHECK(usage.rows.empty());
  REQUIRE(usage.suppressed.size() == 3);
  CHECK(usage.suppressed[0].counts.held_blocks == 0);
  CHECK(usage.suppressed[1].counts.held_bytes == 1064);
  CHECK(usage.suppressed[2].counts.held_bytes == 7);  // What the one before it has left.
  CHECK(usage.all.held_blocks == 0);
}

TEST_CASE("sizes are powers of two, with what the peak holds of each", "[usage]") {
  TraceBuilder trace;
  append_mixed_use(trace);
  const Usage usage = usage_by(trace, UsageGrouping::kSize);

  CHECK(sizes_of(usage) == std::set<std::uint64_t>{8, 64, 512, 1U << 20U});
  CHECK(usage.rows[1].counts.allocations == 7);
  CHECK(usage.rows[1].counts.bytes == 664);
  CHECK(usage.rows[1].counts.held_blocks == 1);
  CHECK(usage.rows[1].counts.held_bytes == 64);
  CHECK(usage.rows[0].counts.held_blocks == 0);
  CHECK(usage.all.held_bytes == 64 + 1000 + (1U << 20U));
}

TEST_CASE("what threads hold at the peak adds up to it", "[usage]") {
  TraceBuilder trace;
  tests::append_random_load(trace, GENERATE(1U, 2U, 3U), 400);
  auto loaded = trace.open();
  const auto peak = analyzer::find_peak(loaded);
  for (const auto by : {UsageGrouping::kThread, UsageGrouping::kSize}) {
    const Usage usage = analyzer::usage_of(loaded, peak.at, by, {});
    CHECK(usage.all.held_bytes == peak.footprint_bytes);
  }
}

TEST_CASE("lists that are made together are those that are made one by one", "[usage]") {
  constexpr std::array kAll{UsageGrouping::kTemporary, UsageGrouping::kNone,
                            UsageGrouping::kLeaked,    UsageGrouping::kAllocations,
                            UsageGrouping::kSize,      UsageGrouping::kThread};
  TraceBuilder trace;
  tests::append_random_load(trace, 2, 300);
  auto loaded = trace.open();
  const auto peak = analyzer::find_peak(loaded);

  analyzer::StackReadings readings(loaded.definitions());
  const auto together = analyzer::usages_of(loaded, peak.at, kAll, {}, readings);

  REQUIRE(together.size() == kAll.size());
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    const Usage alone = analyzer::usage_of(loaded, peak.at, kAll[i], {});
    CHECK(together[i].by == kAll[i]);
    CHECK(together[i].all.bytes == alone.all.bytes);
    CHECK(together[i].all.held_bytes == alone.all.held_bytes);
    REQUIRE(together[i].rows.size() == alone.rows.size());
    for (std::size_t row = 0; row < alone.rows.size(); ++row) {
      CHECK(together[i].rows[row].stack == alone.rows[row].stack);
      CHECK(together[i].rows[row].counts.allocations == alone.rows[row].counts.allocations);
      CHECK(together[i].rows[row].counts.temporary == alone.rows[row].counts.temporary);
    }
  }
}

TEST_CASE("threads have their own allocations and names", "[usage]") {
  TraceBuilder trace;
  const auto other = trace.thread(trace::ProcessId{0});
  trace.allocate(10);
  trace.on(other).allocate(100);
  trace.release(trace.allocate(1000));
  const Usage usage = usage_by(trace, UsageGrouping::kThread);

  REQUIRE(usage.rows.size() == 2);
  CHECK(usage.rows[0].thread == other);
  CHECK(usage.rows[0].counts.allocations == 2);
  CHECK(usage.rows[0].counts.bytes == 1100);
  CHECK(usage.rows[0].counts.temporary == 1);
  CHECK(usage.rows[1].counts.held_bytes == 10);
}

TEST_CASE("patterns are found as LeakSanitizer finds them", "[usage]") {
  using analyzer::is_found;
  CHECK(is_found("load", "reload_all"));
  CHECK_FALSE(is_found("^load", "reload"));
  CHECK(is_found("^load", "load_all"));
  CHECK_FALSE(is_found("load$", "load_all"));
  CHECK(is_found("load$", "reload"));
  CHECK(is_found("load$", "load_reload"));
  CHECK(is_found("^load$", "load"));
  CHECK_FALSE(is_found("^load$", "load_load"));
  CHECK(is_found("lo*all", "reload_them_all"));
  CHECK_FALSE(is_found("lo*all", "all_load"));
  CHECK(is_found("^re*d*all$", "reload_all"));
  CHECK_FALSE(is_found("^re*d*all$", "reload_alls"));
  CHECK(is_found("*", "anything"));
  CHECK_FALSE(is_found("*", ""));
  CHECK(is_found("lib.so*", "/usr/lib.so.1"));
}

TEST_CASE("suppressions are read as LeakSanitizer's file has them", "[usage]") {
  const auto read = analyzer::parse_suppressions("# known\n\n leak:one \r\nleak:two:three", "f");
  REQUIRE(read.ok());
  REQUIRE(read.value().size() == 2);
  CHECK(read.value()[0].pattern == "one");
  CHECK(read.value()[1].pattern == "two:three");
  CHECK(analyzer::parse_suppressions("", "f").value().empty());
  for (const char* const line : {"race:x", "leak:", "leak", "x"}) {
    const auto refused = analyzer::parse_suppressions(std::string("leak:a\n") + line, "known.txt");
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message ==
          std::string("known.txt, line 2: '") + line + "' is no suppression, as leak:PATTERN");
  }
}

TEST_CASE("a suppression fits a function, a source file or a module", "[usage]") {
  const std::vector<analyzer::NamedFrame> stack{
      {.function = "malloc", .file = {}, .module = "libc.so.6"},
      {.function = "load", .file = "/src/loader.cpp", .line = 3, .module = "/bin/tool"}};
  CHECK(analyzer::Suppression{"^load$"}.fits(stack));
  CHECK(analyzer::Suppression{"loader.cpp$"}.fits(stack));
  CHECK(analyzer::Suppression{"libc.so"}.fits(stack));
  CHECK_FALSE(analyzer::Suppression{"other"}.fits(stack));
  CHECK_FALSE(analyzer::Suppression{"other"}.fits({}));
}

TEST_CASE("the report lists usage in text, markdown and JSON with the same numbers", "[usage]") {
  TraceBuilder trace;
  append_mixed_use(trace);
  trace.allocate(7, trace.stack({"malloc", "parse loader.cpp:10", "main loader.cpp:90"}));
  const auto leaked = report_by(trace, UsageGrouping::kLeaked);
  const std::string text = analyzer::report_text(leaked, {.width = 80, .colour = false});
  CHECK_THAT(text, Catch::Contains("\nnever freed: 7 B in 1 heap block\n"));
  CHECK_THAT(text, Catch::Contains("\n        7 B     100.0%          1  parse  loader.cpp:10\n"));
  CHECK_THAT(text, Catch::Contains("\n  suppressed: 1.04 KiB in 2 blocks by leak:keep\n"
                                   "  suppresses nothing: leak:nowhere\n"));
  CHECK_THAT(analyzer::report_markdown(leaked),
             Catch::Contains("| 7 B | 100.0% | 1 | ") &&
                 Catch::Contains("- suppresses nothing: leak:nowhere\n"));
  const auto json = nlohmann::json::parse(analyzer::report_json(leaked)).at("usage");
  CHECK(json.at("by") == "leaked");
  CHECK(json.at("all") == nlohmann::json({{"bytes", 7}, {"blocks", 1}}));
  CHECK(json.at("rows").at(0).at("stack").at(1).at("function") == "parse");
  CHECK(json.at("suppressed").at(0) ==
        nlohmann::json({{"pattern", "keep"}, {"bytes", 1064}, {"blocks", 2}}));
}

TEST_CASE("usage rows beyond the limit are summed, sizes are all listed", "[usage]") {
  TraceBuilder trace;
  append_mixed_use(trace);
  TraceBuilder again;
  append_mixed_use(again);
  const auto often = report_by(trace, UsageGrouping::kAllocations, 1);
  CHECK(often.usage.rows.size() == 1);
  CHECK(often.usage.rest.allocations == 3);
  const auto json = nlohmann::json::parse(analyzer::report_json(often)).at("usage");
  CHECK(json.at("rest").at("rows") == 1);
  CHECK(json.at("rest").at("allocations") == 3);
  CHECK_THAT(analyzer::report_text(often, {.width = 80, .colour = false}),
             Catch::Contains("\n          3      33.3%   1.05 KiB  1 more stack\n"));
  CHECK(report_by(again, UsageGrouping::kSize, 1).usage.rows.size() == 4);
}

TEST_CASE("usage tables fit terminals of any width", "[usage]") {
  const auto width = GENERATE(std::size_t{60}, std::size_t{80}, std::size_t{240});
  for (const auto by :
       {UsageGrouping::kTemporary, UsageGrouping::kLeaked, UsageGrouping::kAllocations,
        UsageGrouping::kSize, UsageGrouping::kThread}) {
    TraceBuilder trace;
    append_mixed_use(trace);
    const auto report = report_by(trace, by);
    std::istringstream lines(analyzer::report_text(report, {.width = width, .colour = false}));
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(width, line);
      CHECK(analyzer::width_of(line) <= width);
    }
  }
}
