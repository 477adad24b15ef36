#include "analyzer/load/load_facts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sizes.hpp"

#include <vector>

namespace tidemark::analyzer {
namespace {

using tests::kMiB;

void look_at_marks(LoadFacts& load) {
  const std::vector<SampledProcess> sampled(
      load.processes.size(), {load.resident.with_own_bytes, load.resident.file_bytes});
  load.high_water = high_water_of(load.processes, sampled, load.resident,
                                  std::vector<std::uint64_t>(load.processes.size()));
}

TEST_CASE("what no sample has seen may have been all that is missing", "[load]") {
  LoadFacts load;
  load.processes.resize(1);
  load.peak.lanes[trace::Lane::kHeap] = 100 * kMiB;
  load.resident.anon_bytes = 60 * kMiB;
  load.resident.file_bytes = 30 * kMiB;
  load.resident.total_bytes = load.resident.with_own_bytes = 90 * kMiB;
  const auto never_resident = [&](std::uint64_t mark) {
    load.processes[0].kernel_peak_rss_bytes = mark;
    look_at_marks(load);
    return load.never_resident_bytes();
  };
  CHECK(never_resident(0) == 40 * kMiB);
  CHECK(never_resident(90 * kMiB) == 40 * kMiB);
  // A hundredth more is what a sample misses while it is taken.
  CHECK(never_resident(90 * kMiB + kMiB / 2) == 39 * kMiB);
  // 5 MiB more at some time: files may have had no pages then.
  CHECK(never_resident(95 * kMiB) == 5 * kMiB);
  CHECK(never_resident(110 * kMiB) == 0);
}

TEST_CASE("of a program that no sample has seen the kernel's mark tells", "[load]") {
  LoadFacts load;
  load.peak.lanes[trace::Lane::kAnon] = 100 * kMiB;
  load.processes.resize(1);
  CHECK(load.never_resident_bytes() == 0);
  load.kernel_peak_rss_bytes = load.processes[0].kernel_peak_rss_bytes = 4 * kMiB;
  look_at_marks(load);
  CHECK(load.never_resident_bytes() == 96 * kMiB);
  load.processes.resize(2);
  look_at_marks(load);
  CHECK(load.never_resident_bytes() == 0);
}

TEST_CASE("several processes had as much at once as their marks say together", "[load]") {
  LoadFacts load;
  load.peak.lanes[trace::Lane::kHeap] = 240 * kMiB;
  load.resident.anon_bytes = load.resident.total_bytes = load.resident.with_own_bytes = 170 * kMiB;
  load.processes.resize(4);
  for (trace::Process& process : load.processes) {
    process.kernel_peak_rss_bytes = 60 * kMiB;
  }
  look_at_marks(load);
  CHECK(load.never_resident_bytes() == 0);
  load.processes.resize(3);
  look_at_marks(load);
  CHECK(load.never_resident_bytes() == 60 * kMiB);
  load.processes[2].parent = 0;
  load.processes[2].peak[trace::Lane::kHeap] = 120 * kMiB;  // All of it since the last look.
  look_at_marks(load);
  CHECK(load.never_resident_bytes() == 0);
}

}  // namespace
}  // namespace tidemark::analyzer
