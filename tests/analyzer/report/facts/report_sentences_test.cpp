// What is said of resident memory beyond the peak, and of what of it nobody can know.
#include "analyzer/report/facts/report_sentences.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using analyzer::Report;
using tests::kMiB;

namespace {

/// 40 MiB of private memory beyond a peak of 200 MiB; at another moment 100 MiB were unexplained.
Report resident_beyond() {
  Report report;
  report.peak.footprint_bytes = 200 * kMiB;
  report.peak.lanes[trace::Lane::kHeap] = 200 * kMiB;
  report.high_water.private_bytes = 240 * kMiB;
  report.unexplained_bytes = 100 * kMiB;
  return report;
}

constexpr const char* kNotKnown =
    "40.0 MiB of private memory is not in this peak, as 240.0 MiB was resident: it had been freed "
    "and stayed resident, or is not attributed to any tracked allocation";

}  // namespace

TEST_CASE("what had been freed at another moment need not be what is beyond the peak", "[report]") {
  Report report = resident_beyond();
  report.unexplained_kept_bytes = 40 * kMiB;  // The other 60 may be these.
  CHECK(analyzer::unexplained_sentence(report) == kNotKnown);
  report.unexplained_kept_bytes = 100 * kMiB;
  CHECK(analyzer::unexplained_sentence(report) ==
        "40.0 MiB of private memory is not in this peak, as 240.0 MiB was resident: it had been "
        "freed and stayed resident");
}

TEST_CASE("private memory that was most before shared memory came is not missing in the peak",
          "[report]") {
  Report report = resident_beyond();
  report.peak.lanes[trace::Lane::kHeap] = 80 * kMiB;
  report.peak.lanes[trace::Lane::kShared] = 120 * kMiB;
  report.high_water.private_bytes = 120 * kMiB;
  report.resident.anon_bytes = 120 * kMiB;
  report.resident.file_bytes = 20 * kMiB;
  SECTION("unless both were more") {
    report.resident.total_bytes = 250 * kMiB;
    CHECK(analyzer::bytes_beyond_peak(report) == 30 * kMiB);
  }
  SECTION("as no sample has more of both") {
    report.resident.total_bytes = 219 * kMiB;
    CHECK(analyzer::bytes_beyond_peak(report) == 0);
  }
  SECTION("but the kernel's mark may know of more than the samples") {
    report.high_water.private_bytes = 130 * kMiB;
    CHECK(analyzer::bytes_beyond_peak(report) == 50 * kMiB);
  }
}

TEST_CASE("malloc's headers explain what is left of what had been freed", "[report]") {
  Report report = resident_beyond();
  report.live_heap_blocks = kMiB;  // 8 to 31 MiB.
  CHECK_THAT(analyzer::unexplained_sentence(report),
             Catch::EndsWith("a part may be what malloc adds to 1,048,576 blocks (8.00 MiB to 31.0 "
                             "MiB), the rest had been freed and stayed resident, or is not "
                             "attributed to any tracked allocation"));
  report.unexplained_kept_bytes = 80 * kMiB;
  CHECK_THAT(analyzer::unexplained_sentence(report),
             Catch::EndsWith("9.00 MiB had been freed and stayed resident, the rest may be what "
                             "malloc adds to 1,048,576 blocks (8.00 MiB to 31.0 MiB)"));
  report.live_heap_blocks = 2 * kMiB;
  report.unexplained_kept_bytes = 0;
  CHECK_THAT(analyzer::unexplained_sentence(report),
             Catch::EndsWith(": it may all be what malloc adds to 2,097,152 blocks (16.0 MiB to "
                             "62.0 MiB)"));
  report.live_heap_blocks = 10;
  CHECK(analyzer::unexplained_sentence(report) == kNotKnown);
}

TEST_CASE("what a library asked of libc itself need not have been freed", "[report]") {
  Report report = resident_beyond();
  report.session.deep_bound = true;
  report.unexplained_kept_bytes = 100 * kMiB;
  CHECK_THAT(analyzer::unexplained_sentence(report),
             Catch::EndsWith(": a library that was opened with RTLD_DEEPBIND may have asked libc "
                             "itself for it, or it had been freed and stayed resident"));
  CHECK(analyzer::warnings_of(report).front() ==
        "A library was opened with RTLD_DEEPBIND: what it asks of libc itself is not recorded.");
}

TEST_CASE("malloc's headers that were added up are one number", "[report]") {
  Report report = resident_beyond();
  report.live_heap_blocks = 2 * kMiB;
  report.malloc_added_bytes = 24 * kMiB;
  CHECK_THAT(analyzer::unexplained_sentence(report),
             Catch::EndsWith("a part may be what malloc adds to 2,097,152 blocks (24.0 MiB), the "
                             "rest had been freed and stayed resident, or is not attributed to any "
                             "tracked allocation"));
  report.unexplained_kept_bytes = 80 * kMiB;
  CHECK_THAT(analyzer::unexplained_sentence(report),
             Catch::EndsWith("16.0 MiB had been freed and stayed resident, the rest may be what "
                             "malloc adds to 2,097,152 blocks (24.0 MiB)"));
}

TEST_CASE("what is freed when a program ends is not what malloc adds to its blocks", "[report]") {
  Report report = resident_beyond();
  report.live_heap_blocks = 2 * kMiB;  // 16 to 62 MiB.
  report.unexplained_kept_bytes = report.unexplained_bytes;
  CHECK_THAT(analyzer::unexplained_sentence(report),
             Catch::EndsWith(": it may all be what malloc adds to 2,097,152 blocks (16.0 MiB to "
                             "62.0 MiB)"));
  // At the peak itself the same look tells both apart.
  report.unexplained_bytes = report.unexplained_kept_bytes = 40 * kMiB;
  CHECK_THAT(analyzer::unexplained_sentence(report),
             Catch::EndsWith(": it had been freed and stayed resident"));
}

TEST_CASE("a twentieth of the peak that it lacks is said above it", "[report]") {
  Report report = resident_beyond();
  report.at_peak = false;
  report.high_water.private_bytes = 210 * kMiB;
  CHECK(analyzer::warnings_of(report).size() == 1);
  report.high_water.private_bytes = 209 * kMiB;
}

TEST_CASE("what may have been touched after the last look is said, in one sentence", "[report]") {
  Report report;
  report.peak.footprint_bytes = 171 * kMiB;
  report.peak.lanes[trace::Lane::kAnon] = 171 * kMiB;
  report.resident.anon_bytes = 174 * kMiB;
  report.high_water.private_bytes = 174 * kMiB;
  report.high_water.private_by_mark = 195 * kMiB;
  report.high_water.private_bytes_at_most = 195 * kMiB;
  CHECK(analyzer::late_sentence(report).empty());  // Nothing was being touched.
  report.high_water.is_mark_of_growth = true;
  const std::string late =
      "Up to 24.0 MiB of private memory is not in this peak, as 195.0 MiB may have been resident: "
      "it was touched after the last look at it";
  CHECK(analyzer::late_sentence(report) == late);
  CHECK(analyzer::untouched_sentence(report).empty());
  CHECK(analyzer::warnings_of(report) == std::vector{late + '.'});
  // What samples saw of it was not late.
  report.resident.anon_bytes = 193 * kMiB;
  CHECK(analyzer::late_sentence(report).empty());
  report.resident.anon_bytes = 174 * kMiB;
  report.session.heap_invisible = true;
  CHECK(analyzer::late_sentence(report).empty());
}

TEST_CASE("private memory that is not in the peak is said once", "[report]") {
  Report report = resident_beyond();
  report.high_water.private_by_mark = 300 * kMiB;
  report.high_water.is_mark_of_growth = true;
  CHECK(analyzer::warnings_of(report) == std::vector{std::string(kNotKnown) + '.'});
}

TEST_CASE("when most was resident is said where that is another time than the peak's", "[report]") {
  Report report = resident_beyond();
  report.peak.at.at_ns = 2'600'000'000;
  report.resident.anon_bytes = 240 * kMiB;
  report.resident.anon_at_ns = 3'200'000'000;
  CHECK_THAT(analyzer::unexplained_sentence(report),
             Catch::Contains("as 240.0 MiB was resident at 3.2 s: it had been freed"));
  report.resident.anon_at_ns = 2'601'000'000;
  CHECK_THAT(analyzer::unexplained_sentence(report), Catch::StartsWith(kNotKnown));
  // By the kernel's mark alone.
  report.resident.anon_at_ns = 3'200'000'000;
  report.resident.anon_bytes = 200 * kMiB;
  CHECK_THAT(analyzer::unexplained_sentence(report), Catch::StartsWith(kNotKnown));
}

TEST_CASE("what looks found never touched stands beside the least that it can be", "[report]") {
  Report report;
  report.peak.footprint_bytes = 200 * kMiB;
  report.peak.lanes[trace::Lane::kHeap] = 200 * kMiB;
  report.resident.anon_bytes = 160 * kMiB;
  report.high_water.private_bytes_at_most = 160 * kMiB;
  const std::string least =
      "40.0 MiB of this peak was requested and never resident: no more than 160.0 MiB of private "
      "memory ever was";
  CHECK(analyzer::untouched_sentence(report) == least);
  report.anatomy.findings.push_back(
      {.kind = analyzer::FindingKind::kUntouched, .bytes = 30 * kMiB});
  CHECK(analyzer::untouched_sentence(report) == least);
  report.anatomy.findings.push_back(
      {.kind = analyzer::FindingKind::kUntouched, .bytes = 34 * kMiB});
  CHECK(analyzer::untouched_sentence(report) ==
        least + "; by looks at its blocks, 64.0 MiB of it was never touched (why)");
}
