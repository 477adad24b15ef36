#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

/// The largest mem_heap_B of any snapshot: the requested bytes at the peak.
std::uint64_t massif_peak(const std::string& massif_output) {
  std::istringstream lines(massif_output);
  std::uint64_t peak = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("mem_heap_B="))
      peak = std::max<std::uint64_t>(peak, std::stoull(line.substr(line.find('=') + 1)));
  }
  return peak;
}

class Exact : public EndToEnd {
 public:
  std::uint64_t peak_by_massif(const Words& words) {
    Words whole{"valgrind",       "--tool=massif", "--peak-inaccuracy=0",
                "--heap-admin=0", "--depth=1",     "--massif-out-file=" + path("massif.out")};
    whole.insert(whole.end(), words.begin(), words.end());
    const Outcome said = run_alone(whole);
    INFO(said.err);
    REQUIRE(said.status == 0);
    return massif_peak(read_text(path("massif.out")));
  }

  void check_against_massif(const Words& words) {
    if (!is_installed("valgrind")) {
      SKIP_TEST("valgrind is not installed, so nobody checks the peak of " << words[0]);
      CHECK_FALSE(is_installed("valgrind"));
      return;
    }
    const std::uint64_t expected = peak_by_massif(words);
    CHECK(expected > 100000);
    const Recording recording = record_unchanged(words);
    CHECK(recording.events.peak(trace::Lane::kHeap) == expected);
    CHECK(report(recording.trace)["lane_peaks"]["heap_bytes"] == expected);
  }
};

}  // namespace

TEST_CASE_METHOD(Exact, "the heap peak of mixed allocations is massif's to the byte") {
  check_against_massif(host("mixed_sizes"));
}

TEST_CASE_METHOD(Exact, "the heap peak of aligned objects is massif's to the byte") {
  check_against_massif(host("aligned_objects"));
}

TEST_CASE_METHOD(Exact, "the heap peak of containers that grow is massif's to the byte") {
  check_against_massif(host("growing_containers"));
}

TEST_CASE_METHOD(Exact,
                 "what the bench measures has massif's peak to the byte, and libunwind's stacks") {
  // Those of one thread: valgrind's order of threads is another one. Blocks of most lives, sizes
  // and numbers.
  const auto [program, shape, count] =
      GENERATE(table<std::string, std::string, std::string>({{"workloads", "containers", "1"},
                                                             {"workloads", "covers", "1"},
                                                             {"workloads", "slots", "1"},
                                                             {"lifetimes", "random", "5000"},
                                                             {"lifetimes", "growth", "5000"}}));
  Words words{TIDEMARK_BENCH_HOSTS + program, shape};
  if (program == "workloads")
    words.push_back(count);
  else
    words.insert(words.end(), {"--alive", "256", "--depth", "24", "--pairs", count});
  CAPTURE(shape);
  const std::uint64_t expected = peak_by_massif(words);
  Words record{"record", "-q", "--unwinder", "check", "-o", trace(), "--"};
  record.insert(record.end(), words.begin(), words.end());
  const Outcome said = tidemark(record);
  REQUIRE(said.status == 0);
  CHECK(report(trace())["lane_peaks"]["heap_bytes"] == expected);
  CHECK(said.err.find("stacks compared with libunwind's: 0 differ") != std::string::npos);
}

TEST_CASE_METHOD(Exact, "the heap peak of a program none of us wrote is massif's to the byte") {
  // It neither looks at its environment, which massif changes, nor starts threads.
  check_against_massif({"/usr/bin/objdump", "--dwarf=info", host("mixed_sizes")[0]});
}

TEST_CASE_METHOD(Exact, "the heap peak of the assembler is massif's to the byte") {
  std::string source;
  for (int i = 0; i < 3000; ++i)
    source += ".globl name" + std::to_string(i) + "\nname" + std::to_string(i) + ": .quad " +
              std::to_string(i) + "\n";
  check_against_massif({"/usr/bin/as", a_file_with(source, "names.s"), "-o", path("names.o")});
}

TEST_CASE_METHOD(Exact,
                 "a large block that lives for one event is the peak and is on the timeline") {
  const Recording recording = record_unchanged(host("one_large_block"));
  const auto& events = recording.events;
  CHECK(events.allocations(300000000) == 1);
  CHECK(events.releases(300000000) == 1);
  const std::uint64_t peak = events.peak(trace::Lane::kHeap);
  CHECK(peak >= 300000000);
  CHECK(peak < 300000000 + 200000);

  const nlohmann::json json = report(recording.trace);
  CHECK(json["peak"]["heap_bytes"] == peak);
  CHECK(json["at_peak"][0]["bytes"] == 300000000);
  CHECK(json["at_peak"][0]["stack"][0]["function"] == "main");
  // Whatever is drawn, is drawn from block summaries: one of them must know it without being
  // decoded.
  auto reader = trace::TraceReader::open(recording.trace);
  REQUIRE(reader.ok());
  const auto blocks = reader.value().blocks();
  CHECK(std::any_of(blocks.begin(), blocks.end(), [&](const trace::BlockSummary& block) {
    return block.maximum[trace::Lane::kHeap] == peak;
  }));
}
