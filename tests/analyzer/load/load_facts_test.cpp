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
  load.processes.resize(2);
  CHECK(load.never_resident_bytes() == 0);
}

TEST_CASE("several processes had as much at once as their marks say together", "[load]") {
  LoadFacts load;
  load.peak.lanes[trace::Lane::kHeap] = 240 * kMiB;
  load.resident.anon_bytes = load.resident.total_bytes = 170 * kMiB;
  load.kernel_peak_rss_bytes = 60 * kMiB;
  load.processes.resize(4);
  for (trace::Process& process : load.processes) {
    process.kernel_peak_rss_bytes = 60 * kMiB;
  }
  CHECK(load.never_resident_bytes() == 0);
  load.processes.resize(3);
  CHECK(load.never_resident_bytes() == 60 * kMiB);
  load.processes[2].parent = 0;
  load.processes[2].peak[trace::Lane::kHeap] = 120 * kMiB;  // All of it since the last look.
  CHECK(load.never_resident_bytes() == 0);
}

TEST_CASE("what files and tidemark itself may have had is no private memory", "[load]") {
  LoadFacts load;
  load.resident.anon_bytes = 5 * kMiB;
  load.resident.file_bytes = 30 * kMiB;
  load.resident.total_bytes = 35 * kMiB;
  load.kernel_peak_rss_bytes = 55 * kMiB;
  CHECK(load.most_private_bytes() == 5 * kMiB);
  load.kernel_peak_rss_bytes = 200 * kMiB;  // More than libraries can be.
  CHECK(load.most_private_bytes() == 140 * kMiB);
  load.resident.own_bytes = 8 * kMiB;
  CHECK(load.most_private_bytes() == 132 * kMiB);
}

}  // namespace
}  // namespace tidemark::analyzer
