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
  load.high_water =
      high_water_of(load.processes, sampled, SampleGaps(load.processes, {}).take(), load.resident);
}

TEST_CASE("what no sample has seen may have been all that is missing", "[load]") {
  LoadFacts load;
  load.processes.resize(1);
  load.peak.lanes[trace::Lane::kHeap] = 100 * kMiB;
  load.resident.anon_bytes = 60 * kMiB;
  const auto never_resident = [&](std::uint64_t mark) {
    load.processes[0].kernel_peak_rss_bytes = mark;
    const std::vector<trace::Sample> samples{
        {.at_ns = 5, .rss_anon_bytes = 2 * kMiB, .high_water_bytes = 2 * kMiB},
        {.at_ns = 10,
         .rss_anon_bytes = 60 * kMiB,
         .rss_file_bytes = 30 * kMiB,
         .high_water_bytes = 90 * kMiB}};
    load.high_water =
        high_water_of(load.processes, std::vector<SampledProcess>{{90 * kMiB, 30 * kMiB}},
                      SampleGaps(load.processes, samples).take(), load.resident);
    return load.never_resident_bytes();
  };
  // The file pages of the later sample may have come after all else.
  CHECK(never_resident(90 * kMiB) == 10 * kMiB);
  // 5 MiB more behind it, when the file had its pages already.
  CHECK(never_resident(95 * kMiB) == 10 * kMiB);
  CHECK(never_resident(125 * kMiB) == 5 * kMiB);
  CHECK(never_resident(130 * kMiB) == 0);
  load.processes[0].kernel_peak_rss_bytes = 0;
  load.resident.anon_bytes = 60 * kMiB;
  look_at_marks(load);
  CHECK(load.never_resident_bytes() == 40 * kMiB);  // Only samples tell.
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
    process.pid = static_cast<std::uint32_t>(&process - load.processes.data());
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
