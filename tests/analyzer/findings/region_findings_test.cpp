#include "analyzer/report/report_text.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/analyzer/findings/program_of_steps.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::Step;
using Program = tests::ProgramOfSteps;

namespace {

const Step kAppMain{"app", 0x900, "main"};

std::vector<Step> mapped_by(const std::vector<std::string>& functions, const std::string& module) {
  std::vector<Step> steps;
  for (const std::string& function : functions) {
    steps.push_back({module, std::hash<std::string>()(function) % 0x10000, function});
  }
  steps.push_back(kAppMain);
  return steps;
}

}  // namespace

TEST_CASE("what an allocator inside the program fills itself is told", "[anatomy]") {
  const auto [functions, module, words] =
      GENERATE(table<std::vector<std::string>, std::string, std::string>({
          {{"unix_mmap_prim", "unix_mmap", "_mi_prim_alloc", "mi_arena_reserve"},
           "app",
           "regions of mimalloc, which is inside the program"},
          {{"os_pages_map", "pages_map", "duckdb_je_extent_alloc_mmap"},
           "libduckdb.so",
           "regions of jemalloc,"},
          {{"", "tcmalloc::MmapAligned(unsigned long)"}, "app", "regions of tcmalloc,"},
          {{"partition_alloc::internal::SystemAllocPages"}, "app", "regions of PartitionAlloc,"},
          {{"os::pd_commit_memory_or_exit", "os::commit_memory_or_exit"},
           "libjvm.so",
           "the heap of Java's machine"},
          {{"v8::base::OS::Allocate(void*)"}, "node", "the heap of V8"},
          {{"x_cgo_mmap", "runtime.callCgoMmap", "runtime.mmap", "runtime.sysMapOS"},
           "app",
           "the heap of Go's runtime"},
          {{"VIRTUALCommitMemory", "VirtualAlloc", "GCToOSInterface::VirtualCommit"},
           "libcoreclr.so",
           "the heap of .NET's runtime"},
          {{"", "mono_valloc"}, "mono-sgen", "the heap of Mono"},
          {{"my_mmap", "osCommitMemory", "getMBlocks"}, "app", "the heap of Haskell's runtime"},
          {{"_D4core8internal2gc2os10os_mem_mapFNbNimbZPv"},
           "libdruntime-ldc-shared.so.100",
           "the heap of D's collector and what else it maps for itself: which objects are in it no "
           "call shows."},
          {{"", "", "GC_generic_malloc"}, "libgc.so.1", "the heap of Boehm's collector"},
          {{"S_getmem", "S_find_segments"}, "racket", "the heap of Chez Scheme"},
      }));
  for (const auto choice : {analyzer::FrameChoice::kBoth, analyzer::FrameChoice::kPython}) {
    Program program;
    program.map(mapped_by(functions, module), 3, 16 * kMiB);
    program.allocate(100 * kMiB);
    const auto report = program.report(choice);
    const auto found = findings_of(report, FindingKind::kRegions);
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == 48 * kMiB);
    CHECK_FALSE(found[0].peak_without_bytes);
    CHECK_THAT(found[0].sentence, Catch::Contains("48.0 MiB of the peak are " + words));
    // Where nothing tells what is in it, a dump of it helps nobody.
    const bool is_told = found[0].sentence.find("no call shows") == std::string::npos;
    CHECK_THAT(found[0].advice, Catch::StartsWith(is_told ? "" : "drop what is not needed"));
    CHECK(found[0].advice.empty() == is_told);
    CHECK_THAT(analyzer::report_text(report, {.width = 300}), Catch::Contains(found[0].sentence));
  }
}

TEST_CASE("other mappings are no allocator's regions", "[anatomy]") {
  const std::vector<Step> steps = GENERATE(values<std::vector<Step>>({
      // Another module's allocator is further out.
      {{"app", 0x100, "load_weights"}, {"liballoc.so", 0x200, "mi_arena_reserve"}, kAppMain},
      {{"app", 0x100, "os::map_memory"}, kAppMain},  // Not Java's.
      {{"app", 0x100, "VIRTUALCommitMemory"}, kAppMain},
      {{"app", 0x100, "mono_valloc"}, kAppMain},
      {{"app", 0x100, "GC_map_weights"}, kAppMain},
      {{"app", 0x100, "core.internal.load_weights"}, kAppMain},
      {{"app", 0x100, "load_weights"},
       {"app", 0x200, "v8::internal::Builtin_HandleApiCall(int)"},
       kAppMain},
      {{"app", 0x100, "read_all"}, kAppMain},
      {{"app", 0x100, "syscall.mmap"}, {"app", 0x200, "syscall.Mmap"}, kAppMain},
      {{"libpython3", 0x100, "_PyObject_ArenaMmap"}, {"libpython3", 0x200, "new_arena"}, kAppMain},
      {{"app", 0x100, "operator new(unsigned long)"}, kAppMain},
  }));
  Program program;
  program.map(steps, 3, 16 * kMiB);
  CHECK(findings_of(program.report(), FindingKind::kRegions).empty());
}

TEST_CASE("few regions are not worth a word", "[anatomy]") {
  const auto mimalloc = mapped_by({"unix_mmap_prim", "_mi_prim_alloc"}, "app");
  SECTION("less than a fifth of the peak") {
    Program program;
    program.map(mimalloc, 1, 24 * kMiB);
    program.allocate(100 * kMiB);
    CHECK(findings_of(program.report(), FindingKind::kRegions).empty());
  }
  SECTION("less than 16 MiB") {
    Program program;
    program.map(mimalloc, 1, 15 * kMiB);
    CHECK(findings_of(program.report(), FindingKind::kRegions).empty());
  }
}

TEST_CASE("regions explain the peak that they hold", "[anatomy]") {
  Program program;
  program.map(mapped_by({"unix_mmap_prim", "_mi_prim_alloc"}, "app"), 10, 16 * kMiB);
  const auto report = program.report(analyzer::FrameChoice::kBoth, "8MiB");
  REQUIRE(findings_of(report, FindingKind::kRegions).size() == 1);
  CHECK_FALSE(report.anatomy.is_unexplained);
}

TEST_CASE("regions whose blocks another finding names are not told once more", "[anatomy]") {
  tests::Load load;
  const auto read = load.block("getMBlocks", tests::kModelBytes, trace::Lane::kAnon);
  load.read_whole(read);
  load.trace.origin(read, 0, load.model, 0, tests::kModelBytes);
  const auto made = load.block("getMBlocks", 2 * tests::kModelBytes, trace::Lane::kAnon);
  const bool is_known = GENERATE(true, false);
  if (is_known) {
    load.trace.widened(made, load.model, 0, "f64", "f32");
  }
  const auto report = load.report();
  CHECK(findings_of(report, FindingKind::kWidened).size() == (is_known ? 1 : 0));
  const auto found = findings_of(report, FindingKind::kRegions);
  REQUIRE(found.size() == (is_known ? 0 : 1));
  if (!is_known) {
    CHECK_THAT(found[0].sentence,
               Catch::Contains("768.0 MiB of the peak are the heap of Haskell's "
                               "runtime") &&
                   Catch::EndsWith("256.0 MiB of the model were read into them."));
    CHECK(found[0].advice.empty());
  }
}

namespace {

/// Two mappings of a runtime, each with room for the model twice, and the file in a block.
struct RuntimesHeap : tests::Load {
  RuntimesHeap() {
    for (auto& heap : heaps) {
      heap = block("getMBlocks", 2 * tests::kModelBytes, trace::Lane::kAnon);
    }
    const auto read = blob();
    trace.origin(read, 0, model, 0, tests::kModelBytes);
  }
  void know_array(std::size_t heap, std::uint64_t at) {
    trace.part_of_file(heaps[heap], at * tests::kModelBytes, tests::kModelBytes, model, 0);
  }
  std::array<std::uint64_t, 2> heaps{};
};

}  // namespace

TEST_CASE("regions of which one array is known are told for the rest", "[anatomy]") {
  RuntimesHeap load;
  load.know_array(0, 0);
  CHECK(findings_of(load.report(), FindingKind::kRegions).size() == 1);
}

TEST_CASE("regions that are arrays which are known are told by these alone", "[anatomy]") {
  RuntimesHeap load;
  for (const std::size_t heap : {0U, 1U}) {
    load.know_array(heap, 0);
    load.know_array(heap, 1);
  }
  const auto report = load.report();
  CHECK(findings_of(report, FindingKind::kTwice).size() == 1);
  CHECK(findings_of(report, FindingKind::kRegions).empty());
}

TEST_CASE("what a collector moved is no copy beside its source", "[anatomy]") {
  const auto [from, to, is_moved] =
      GENERATE(table<std::string, std::string, bool>({{"getMBlocks", "getMBlocks", true},
                                                      {"getMBlocks", "reserve", false},
                                                      {"GC_unix_mmap_get_mem", "getMBlocks", false},
                                                      {"reserve", "reserve", false}}));
  CAPTURE(from, to);
  tests::Load load;
  const auto old_place = load.block(from, tests::kModelBytes, trace::Lane::kAnon);
  const auto new_place = load.block(to, tests::kModelBytes, trace::Lane::kAnon);
  load.trace.read(load.model, tests::kModelBytes);
  load.wait_ms(10);
  load.trace.copy(tests::kModelBytes, old_place, new_place,
                  load.trace.stack({"memcpy", "evacuate", "main"}));
  (void)load.block("use", 1);

  const auto report = load.report();

  CHECK(findings_of(report, FindingKind::kTwice).size() == (is_moved ? 0 : 1));
  const auto regions = findings_of(report, FindingKind::kRegions);
  const std::string moved =
      "Its collector moved 256.0 MiB from one of them to another: the old place stays resident "
      "until it is used again.";
  CHECK(std::ranges::any_of(regions, [&](const analyzer::Finding& finding) {
          return finding.sentence.ends_with(moved);
        }) == is_moved);
}
