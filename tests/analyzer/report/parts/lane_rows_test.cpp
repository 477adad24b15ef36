#include "analyzer/report/parts/lane_rows.hpp"

#include "analyzer/text/size_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

#include <algorithm>

using namespace tidemark;
using analyzer::LaneRow;
using analyzer::Report;
using tests::kMiB;

namespace {

/// A million blocks of 64 bytes, and what malloc put before each.
Report small_blocks() {
  Report report;
  report.at_peak = true;
  report.peak.footprint_bytes = 64 * kMiB;
  report.resident.total_bytes = 80 * kMiB;
  report.resident.anon_bytes = 78 * kMiB;
  report.unexplained_bytes = 14 * kMiB;
  report.live_heap_blocks = kMiB;
  return report;
}

const LaneRow* headers_of(const std::vector<LaneRow>& rows) {
  const auto row = std::ranges::find(rows, "  headers", &LaneRow::name);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

TEST_CASE("what malloc puts before small blocks is told, from how much to how much", "[report]") {
  const std::vector<LaneRow> rows = analyzer::lane_rows(small_blocks());
  const LaneRow* headers = headers_of(rows);
  REQUIRE(headers != nullptr);
  CHECK(headers->highest == "8.00 MiB");
  CHECK(headers->meaning == "to 31.0 MiB: malloc's, 1,048,576 blocks");
}

TEST_CASE("what malloc puts before small blocks stands in the peak's column once it is added up",
          "[report]") {
  Report report = small_blocks();
  report.malloc_added_bytes = 12 * kMiB;
  const std::vector<LaneRow> rows = analyzer::lane_rows(report);
  const LaneRow* headers = headers_of(rows);
  REQUIRE(headers != nullptr);
  CHECK(headers->highest.empty());
  CHECK(headers->at_peak == "12.0 MiB");
  CHECK(headers->meaning == "what malloc adds to 1,048,576 blocks");

  SECTION("but not where they are more than can be resident") {
    report.malloc_added_bytes = 15 * kMiB;
    const std::vector<LaneRow> others = analyzer::lane_rows(report);
    CHECK(headers_of(others)->meaning == "to 31.0 MiB: malloc's, 1,048,576 blocks");
  }
  SECTION("nor where they are next to nothing") {
    report.malloc_added_bytes = kMiB;
    const std::vector<LaneRow> others = analyzer::lane_rows(report);
    CHECK(headers_of(others) == nullptr);
  }
}

TEST_CASE("an allocator that has nothing before its blocks is not said to have more", "[report]") {
  Report report = small_blocks();
  report.unexplained_bytes = 7 * kMiB;  // A million headers of glibc's are 8 MiB.
  const std::vector<LaneRow> rows = analyzer::lane_rows(report);
  const LaneRow* headers = headers_of(rows);
  REQUIRE(headers != nullptr);
  CHECK(headers->highest == "0 B");
  CHECK(headers->meaning == "to 31.0 MiB: malloc's, 1,048,576 blocks");
}

TEST_CASE("malloc's own bytes are not told where they explain nothing", "[report]") {
  const auto change = GENERATE(
      as<void (*)(Report&)>{}, [](Report& report) { report.unexplained_bytes = kMiB; },
      [](Report& report) { report.live_heap_blocks = 1'000; },
      [](Report& report) { report.at_peak = false; },
      [](Report& report) { report.peak.footprint_bytes = 0; });
  Report report = small_blocks();
  change(report);
  CHECK(headers_of(analyzer::lane_rows(report)) == nullptr);
}
