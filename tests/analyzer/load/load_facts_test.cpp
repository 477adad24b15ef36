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
  // 10 MiB more at some time: private memory, beyond 60 or beyond 70, or files' pages.
  load.kernel_peak_rss_bytes = 100 * kMiB;
  CHECK(load.never_resident_bytes() == 20 * kMiB);
  load.kernel_peak_rss_bytes = 110 * kMiB;
  CHECK(load.never_resident_bytes() == 0);
}

}  // namespace
}  // namespace tidemark::analyzer
