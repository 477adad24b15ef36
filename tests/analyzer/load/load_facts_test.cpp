#include "analyzer/load/load_facts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

namespace tidemark::analyzer {
namespace {

using tests::kMiB;

TEST_CASE("what no sample has seen may have been all that is missing", "[load]") {
  LoadFacts load;
  load.peak.lanes[trace::Lane::kHeap] = 100 * kMiB;
  load.resident.anon_bytes = 60 * kMiB;
  load.resident.file_bytes = 30 * kMiB;
  load.resident.total_bytes = 90 * kMiB;
  CHECK(load.never_resident_bytes() == 40 * kMiB);
  load.kernel_peak_rss_bytes = 90 * kMiB;
  CHECK(load.never_resident_bytes() == 40 * kMiB);
  // A hundredth more is what a sample misses while it is taken.
  load.kernel_peak_rss_bytes = 90 * kMiB + kMiB / 2;
  CHECK(load.never_resident_bytes() == 39 * kMiB);
  // 5 MiB more at some time: files may have had no pages then.
  load.kernel_peak_rss_bytes = 95 * kMiB;
  CHECK(load.never_resident_bytes() == 5 * kMiB);
  load.kernel_peak_rss_bytes = 110 * kMiB;
  CHECK(load.never_resident_bytes() == 0);
}

TEST_CASE("of a program that no sample has seen the kernel's mark tells", "[load]") {
  LoadFacts load;
  load.peak.lanes[trace::Lane::kAnon] = 100 * kMiB;
  load.processes.resize(1);
  CHECK(load.never_resident_bytes() == 0);
  load.kernel_peak_rss_bytes = 4 * kMiB;
  CHECK(load.never_resident_bytes() == 96 * kMiB);
  // The mark is of the largest process, and nothing is known of the sum.
  load.processes.resize(2);
  CHECK(load.never_resident_bytes() == 0);
}

}  // namespace
}  // namespace tidemark::analyzer
