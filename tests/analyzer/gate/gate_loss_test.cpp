#include "analyzer/gate/gate_loss.hpp"

#include "analyzer/gate/output/gate_output.hpp"
#include "tests/analyzer/gate/gate_decisions.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

using namespace tidemark;
using analyzer::Check;
using analyzer::Gauge;
using analyzer::Verdict;
using tests::budget;
using tests::decided;
using tests::kMiB;
using tests::lane_budget;
using tests::phase_budget;
using tests::TraceBuilder;

namespace {

/// Two event blocks; the second one has the peak.
void append_two_blocks(TraceBuilder& trace) {
  trace.allocate(10, trace.stack({"malloc", "early"}));
  trace.flush();
  trace.at_ms(1).begin_phase("late");
  trace.allocate(90, trace.stack({"malloc", "late"}));
  trace.end_phase("late");
  trace.flush();
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What the gate says of a file that was damaged; none when it is refused as no trace.
std::optional<Verdict> verdict_of_bytes(const std::string& path,
                                        const std::string& bytes,
                                        const std::string& size) {
  std::ofstream(path, std::ios::binary) << bytes;
  auto loaded = analyzer::LoadedTrace::open(path);
  if (!loaded.ok()) {
    return std::nullopt;
  }
  return decided(loaded.value(), budget(size)).verdict;
}

/// Breaks the payload of event block `number`, and leaves its header, so its summary, alone.
analyzer::LoadedTrace with_damaged_block(TraceBuilder& trace, std::size_t number) {
  const std::string path = trace.finish();
  const std::string bytes = bytes_of(path);
  // Every byte is tried until the reader says that it is this block that cannot be decoded.
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    std::ofstream(path, std::ios::binary) << damaged;
    auto loaded = analyzer::LoadedTrace::open(path);
    if (!loaded.ok() || loaded.value().blocks().size() != 2 ||
        loaded.value().loss().blocks_damaged != 0 || !loaded.value().definitions().session.ended ||
        loaded.value().digest(number) != nullptr || loaded.value().events(number) != nullptr ||
        loaded.value().events(1 - number) == nullptr) {
      continue;
    }
    return std::move(loaded.value());
  }
  FAIL("no byte damages block " << number << " alone");
  return trace.break_off();
}

}  // namespace

TEST_CASE("every kind of loss that can hold a higher peak makes a pass inconclusive", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace::Loss& loss = trace.session.loss;
  const std::vector<std::pair<std::uint64_t*, std::string>> kinds{
      {&loss.records_dropped, "3 dropped records are missing"},
      {&loss.events_unwritten, "3 events that did not fit the disk are missing"},
      {&loss.processes_unrecorded, "3 whole processes are missing"},
      {&loss.threads_unrecorded, "3 whole threads are missing"}};
  const auto kind = GENERATE(range(0, 4));
  *kinds.at(static_cast<std::size_t>(kind)).first = 3;
  CAPTURE(kind);
  auto loaded = trace.open();

  const auto below = decided(loaded, budget("1000"));
  CHECK(below.verdict == Verdict::kInconclusive);
  CHECK(below.reason == kinds.at(static_cast<std::size_t>(kind)).second);
  CHECK(decided(loaded, budget("99")).verdict == Verdict::kRegression);
  Check allowed = budget("1000");
  allowed.allow_loss = true;
  CHECK(decided(loaded, allowed).verdict == Verdict::kPass);
}

TEST_CASE("what a process did after the recording can be above any limit, but in no phase",
          "[gate]") {
  TraceBuilder trace;
  trace.begin_phase("load");
  trace.allocate(100);
  trace.end_phase("load");
  trace.session.loss.processes_left = 1;
  auto loaded = trace.open();

  const auto below = decided(loaded, budget("1000"));
  CHECK(below.verdict == Verdict::kInconclusive);
  CHECK(below.reason ==
        "what 1 process that was still running did after the recording is missing (record "
        "--wait-children waits for it)");
  CHECK(decided(loaded, budget("99")).verdict == Verdict::kRegression);
  CHECK(decided(loaded, phase_budget("load", "1000")).verdict == Verdict::kPass);
}

TEST_CASE("a process that was not recorded is told of with its reason", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.session.loss.processes_unrecorded = 2;
  trace.session.loss.unrecorded = {{7, "tool", trace::WhyUnrecorded::kSetId, 2}};

  const auto below = decided(trace, budget("1000"));
  CHECK(below.verdict == Verdict::kInconclusive);
  CHECK(below.reason == "2 whole processes are missing (set-id or with file capabilities)");
}

TEST_CASE("processes that cannot have raised the result above the limit leave a pass a pass",
          "[gate]") {
  TraceBuilder trace;
  trace.at_ms(10).allocate(100);
  trace.at_ms(50).allocate(900);
  trace.at_ms(60).allocate(1);
  trace.session.loss.processes_unrecorded = 1;
  trace::Unrecorded& program = trace.session.loss.unrecorded.emplace_back(
      trace::Unrecorded{.pid = 7, .command = "tool", .why = trace::WhyUnrecorded::kStatic});
  program.from_ns = 20'000'000;
  program.until_ns = 40'000'000;
  program.most_bytes = 500;
  const auto heap_budget = [](const std::string& size) {
    Check check = budget(size);
    check.subject.gauge = Gauge::kHeap;
    return check;
  };

  SECTION("it ran while little stood beside it") {
    auto loaded = trace.open();
    CHECK(decided(loaded, budget("1001")).verdict == Verdict::kPass);
    CHECK(decided(loaded, heap_budget("1001")).verdict == Verdict::kPass);
    CHECK(decided(loaded, budget("1000")).verdict == Verdict::kRegression);
    Check mapped = budget("1001");
    mapped.subject.gauge = Gauge::kFile;
    CHECK(decided(loaded, mapped).verdict == Verdict::kInconclusive);
  }
  SECTION("with all that can have been in it the limit is passed") {
    program.most_bytes = 902;
    auto loaded = trace.open();
    const auto result = decided(loaded, budget("1001"));
    CHECK(result.verdict == Verdict::kInconclusive);
    CHECK(result.reason ==
          "1 whole process is missing (statically linked), and with all that can have been in it "
          "the peak may have been 1002 B");
    CHECK(decided(loaded, budget("1002")).verdict == Verdict::kPass);
  }
  SECTION("it may have run at the peak") {
    program.until_ns = 50'000'000;
    auto loaded = trace.open();
    CHECK(decided(loaded, budget("1499")).verdict == Verdict::kInconclusive);
    CHECK(decided(loaded, budget("1500")).verdict == Verdict::kPass);
  }
  SECTION("two of them at one time") {
    trace.session.loss.processes_unrecorded = 2;
    trace.session.loss.unrecorded.push_back(program);
    auto loaded = trace.open();
    CHECK(decided(loaded, budget("1099")).verdict == Verdict::kInconclusive);
    CHECK(decided(loaded, budget("1100")).verdict == Verdict::kPass);
  }
  SECTION("of another one nothing is known") {
    trace.session.loss.processes_unrecorded = 2;
    auto loaded = trace.open();
    CHECK(decided(loaded, budget("1000000")).verdict == Verdict::kInconclusive);
  }
  SECTION("one entry stands for several") {
    program.processes = 2;
    trace.session.loss.processes_unrecorded = 2;
    auto loaded = trace.open();
    CHECK(decided(loaded, budget("1000000")).verdict == Verdict::kInconclusive);
  }
}

TEST_CASE("a torn trace is inconclusive below its budget and a regression above it", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  auto loaded = trace.break_off();

  CHECK(decided(loaded, budget("100")).verdict == Verdict::kInconclusive);
  CHECK(decided(loaded, budget("100")).reason == "the end of the recording is missing");
  CHECK(decided(loaded, budget("99")).verdict == Verdict::kRegression);
  CHECK(decided(loaded, phase_budget("never begun", "1")).verdict == Verdict::kInconclusive);
}

TEST_CASE("loss that adds no bytes leaves a pass a pass", "[gate]") {
  TraceBuilder trace;
  trace.allocate(100);
  trace.session.loss.stacks_truncated = 5;
  trace.session.loss.blocks_unknown = 1;
  trace.session.loss.events_unknown = 9;
  trace.session.unmatched_releases = 7;

  CHECK(decided(trace, budget("100")).verdict == Verdict::kPass);
}

TEST_CASE("a damaged block hides no peak while its summary stands", "[gate]") {
  TraceBuilder trace;
  append_two_blocks(trace);
  auto loaded = with_damaged_block(trace, 1);

  CHECK(decided(loaded, budget("100")).verdict == Verdict::kPass);
  CHECK(decided(loaded, budget("99")).verdict == Verdict::kRegression);
  CHECK(decided(loaded, lane_budget(Gauge::kHeap, "100")).verdict == Verdict::kPass);
  REQUIRE(loaded.loss().blocks_damaged == 1);
}

TEST_CASE("no flipped byte makes a pass of a regression", "[gate]") {
  TraceBuilder trace;
  append_two_blocks(trace);
  const std::string path = trace.finish();
  const std::string whole = bytes_of(path);
  REQUIRE(verdict_of_bytes(path, whole, "99") == Verdict::kRegression);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);

    CHECK(verdict_of_bytes(path, damaged, "99") != Verdict::kPass);
  }
}

TEST_CASE("no cut makes a pass of a regression", "[gate]") {
  TraceBuilder trace;
  append_two_blocks(trace);
  const std::string path = trace.finish();
  const std::string whole = bytes_of(path);
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    CAPTURE(kept);
    CHECK(verdict_of_bytes(path, whole.substr(0, kept), "99") != Verdict::kPass);
  }
}

TEST_CASE("a block that is gone with its summary makes a pass inconclusive", "[gate]") {
  TraceBuilder trace;
  append_two_blocks(trace);
  const std::string path = trace.finish();
  std::string whole = bytes_of(path);
  // Without its footer the index is made anew from the blocks, those whose headers are intact.
  whole.replace(whole.size() - 16, 16, 16, '\0');
  std::size_t gone = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(path, std::ios::binary) << damaged;
    auto loaded = analyzer::LoadedTrace::open(path);
    if (loaded.ok() && loaded.value().blocks().size() == 1) {
      ++gone;
      CHECK(decided(loaded.value(), budget("100")).verdict == Verdict::kInconclusive);
    }
  }
  CHECK(gone > 0);
}

TEST_CASE("a damaged block can have held a phase, or the reads that W was found by", "[gate]") {
  TraceBuilder trace;
  trace.read(trace.file("/m/model.params", 2 * kMiB), 2 * kMiB);
  append_two_blocks(trace);
  auto loaded = with_damaged_block(trace, 1);

  const auto phase = decided(loaded, phase_budget("late", "1GiB"));
  CHECK(phase.verdict == Verdict::kInconclusive);
  CHECK(phase.reason ==
        "a damaged part of the file may hold marks of the phase, and with it the phase");
  CHECK_FALSE(phase.measured_bytes.has_value());
  CHECK(decided(loaded, budget("1xW")).verdict == Verdict::kInconclusive);
  CHECK(decided(loaded, budget("1xW"), "2MiB").verdict == Verdict::kPass);
  CHECK(decided(loaded, budget("100")).verdict == Verdict::kPass);
}

TEST_CASE("dropped events change nothing in what was sampled", "[gate]") {
  TraceBuilder trace;
  trace.sample(300);
  trace.session.loss.records_dropped = 3;

  CHECK(decided(trace, lane_budget(Gauge::kRssAnon, "300")).verdict == Verdict::kPass);
}

TEST_CASE("a program with its own malloc can pass in every lane but the heap's", "[gate]") {
  TraceBuilder trace;
  trace.allocate(20, trace::kNoStack, trace::Lane::kAnon);
  trace.session.heap_invisible = true;
  auto loaded = trace.open();

  CHECK(decided(loaded, lane_budget(Gauge::kAnon, "20")).verdict == Verdict::kPass);
  CHECK(decided(loaded, lane_budget(Gauge::kHeap, "20")).verdict == Verdict::kInconclusive);
  CHECK(decided(loaded, budget("20")).verdict == Verdict::kInconclusive);
}

TEST_CASE("a ratio says nothing where the model may have been read unseen", "[gate]") {
  struct Case {
    const char* name;
    std::uint64_t unseen_bytes;
    std::uint64_t rings;
    const char* limit;
    const char* model;
    Verdict verdict;
  };
  const auto [name, unseen_bytes, rings, limit, model, verdict] = GENERATE(
      values<Case>({{"nothing unseen", 0, 0, "1.1xW", "", Verdict::kPass},
                    {"little unseen", kMiB - 1, 0, "1.1xW", "", Verdict::kPass},
                    {"less than a sixteenth of W", 3 * kMiB, 0, "1.1xW", "", Verdict::kPass},
                    {"a sixteenth of W", 4 * kMiB, 0, "1.1xW", "", Verdict::kInconclusive},
                    {"as much, above the limit", 4 * kMiB, 0, "0.5xW", "", Verdict::kInconclusive},
                    {"a ring", 0, 1, "1.1xW", "", Verdict::kInconclusive},
                    {"a ring, and W is given", 0, 1, "1.1xW", "64MiB", Verdict::kPass},
                    {"a limit in bytes", 400 * kMiB, 1, "70MiB", "", Verdict::kPass}}));
  CAPTURE(name);
  TraceBuilder trace;
  trace.read(trace.file("/m/weights.bin", 64 * kMiB), 64 * kMiB);
  trace.allocate(64 * kMiB, trace.stack({"malloc", "load"}));
  trace.session.loss.reads_unseen_bytes = unseen_bytes;
  trace.session.loss.rings_unseen = rings;
  CHECK(decided(trace, budget(limit), model).verdict == verdict);
}

TEST_CASE("a model that was mapped unseen leaves a ratio, the file lane and shared memory open",
          "[gate]") {
  struct Case {
    std::string name;
    std::uint64_t mapped_bytes;
    std::uint64_t shared_bytes;
    analyzer::Gauge gauge;
    const char* limit;
    Verdict verdict;
  };
  using analyzer::Gauge;
  const auto [name, mapped_bytes, shared_bytes, gauge, limit, verdict] = GENERATE(values<Case>(
      {{"a sixteenth of W", 4 * kMiB, 0, Gauge::kFootprint, "1.1xW", Verdict::kInconclusive},
       {"less", 3 * kMiB, 0, Gauge::kFootprint, "1.1xW", Verdict::kPass},
       {"a limit in bytes", 256 * kMiB, 0, Gauge::kFootprint, "70MiB", Verdict::kPass},
       {"the file lane", 8 * kMiB, 0, Gauge::kFile, "7MiB", Verdict::kInconclusive},
       {"the file lane, with room", 8 * kMiB, 0, Gauge::kFile, "8MiB", Verdict::kPass},
       {"shared memory", 8 * kMiB, 8 * kMiB, Gauge::kFootprint, "70MiB", Verdict::kInconclusive},
       {"shared memory, with room", 8 * kMiB, 8 * kMiB, Gauge::kFootprint, "72MiB", Verdict::kPass},
       {"its lane", 8 * kMiB, 8 * kMiB, Gauge::kShared, "7MiB", Verdict::kInconclusive},
       {"no file in it", 8 * kMiB, 8 * kMiB, Gauge::kFile, "1MiB", Verdict::kPass}}));
  CAPTURE(name);
  TraceBuilder trace;
  trace.read(trace.file("/m/weights.bin", 64 * kMiB), 64 * kMiB);
  trace.allocate(64 * kMiB, trace.stack({"malloc", "load"}));
  trace.session.loss.mapped_unseen_bytes = mapped_bytes;
  trace.session.loss.shared_unseen_bytes = shared_bytes;
  trace.session.loss.mapped_unseen = {{"/m/other.bin", mapped_bytes, shared_bytes != 0}};
  Check check = budget(limit);
  check.subject.gauge = gauge;
  CHECK(decided(trace, check).verdict == verdict);
}

TEST_CASE("what may have been written unseen is inconclusive where it could pass the limit",
          "[gate]") {
  struct Case {
    const char* name;
    analyzer::Gauge gauge;
    const char* limit;
    Verdict verdict;
  };
  using analyzer::Gauge;
  const auto [name, gauge, limit, verdict] = GENERATE(
      values<Case>({{"the footprint", Gauge::kFootprint, "71MiB", Verdict::kInconclusive},
                    {"the footprint, with room", Gauge::kFootprint, "72MiB", Verdict::kPass},
                    {"above the limit", Gauge::kFootprint, "63MiB", Verdict::kRegression},
                    {"its lane", Gauge::kAnon, "71MiB", Verdict::kInconclusive},
                    {"its lane, with room", Gauge::kAnon, "72MiB", Verdict::kPass},
                    {"another lane", Gauge::kHeap, "1MiB", Verdict::kPass}}));
  CAPTURE(name);
  TraceBuilder trace;
  trace.allocate(64 * kMiB, trace.stack({"mmap", "load"}), trace::Lane::kAnon);
  trace.session.loss.written_unseen_bytes = 8 * kMiB;
  Check check = budget(limit);
  check.subject.gauge = gauge;
  const auto result = decided(trace, check);
  CHECK(result.verdict == verdict);
  if (verdict == Verdict::kInconclusive)
    CHECK(analyzer::check_sentence(result).ends_with(
        "tidemark did not see up to 8.00 MiB written to mapped files, or by forked processes, "
        "right before they went"));
}

TEST_CASE("what was not seen is added up, as it can have been there together", "[gate]") {
  const auto verdict = [](const std::string& limit) {
    TraceBuilder trace;
    trace.allocate(64 * kMiB, trace.stack({"malloc", "load"}));
    trace.session.loss.written_unseen_bytes = 8 * kMiB;
    trace.session.loss.mapped_unseen_bytes = trace.session.loss.shared_unseen_bytes = 8 * kMiB;
    trace.session.loss.mapped_unseen = {{"/m/other.bin", 8 * kMiB, true}};
    return decided(trace, budget(limit));
  };
  CHECK(verdict("80MiB").verdict == Verdict::kPass);
  const auto result = verdict("79MiB");
  CHECK(result.verdict == Verdict::kInconclusive);
  CHECK_THAT(analyzer::check_sentence(result),
             Catch::Contains("8.00 MiB of mappings (other.bin), and tidemark did not see up to "
                             "8.00 MiB written"));
}

TEST_CASE("a phase may hold shared memory that was mapped unseen, and no file", "[gate]") {
  const auto verdict = [](bool is_shared, const std::string& limit) {
    TraceBuilder trace;
    trace.at_ms(1).begin_phase("late");
    trace.allocate(8 * kMiB, trace.stack({"malloc", "load"}));
    trace.end_phase("late");
    trace.session.loss.mapped_unseen_bytes = 8 * kMiB;
    trace.session.loss.shared_unseen_bytes = is_shared ? 8 * kMiB : 0;
    trace.session.loss.mapped_unseen = {{"/m/other.bin", 8 * kMiB, is_shared}};
    return decided(trace, phase_budget("late", limit)).verdict;
  };
  CHECK(verdict(false, "15MiB") == Verdict::kPass);
  CHECK(verdict(true, "15MiB") == Verdict::kInconclusive);
  CHECK(verdict(true, "16MiB") == Verdict::kPass);
}

TEST_CASE("without a W a ratio is inconclusive where much was read unseen", "[gate]") {
  TraceBuilder trace;
  trace.allocate(64 * kMiB, trace.stack({"malloc", "load"}));
  trace.session.loss.reads_unseen_bytes = 256 * kMiB;
  const auto result = decided(trace, budget("1.1xW"));
  CHECK(result.verdict == Verdict::kInconclusive);
  CHECK_FALSE(result.is_limit_known);
  CHECK(analyzer::check_sentence(result) ==
        "the check: peak 64.0 MiB of at most 1.1xW: tidemark did not see 256.0 MiB of reads, which "
        "may have "
        "been the model's");
}

TEST_CASE("resident memory that the footprint does not account for could pass the limit",
          "[gate]") {
  const auto verdict = [](std::uint64_t rss_anon, const std::string& limit) {
    TraceBuilder trace;
    trace.allocate(100 * kMiB);
    trace.at_ms(5).sample(rss_anon);
    return decided(trace, budget(limit));
  };
  CHECK(verdict(101 * kMiB, "100MiB").verdict == Verdict::kPass);
  CHECK(verdict(300 * kMiB, "300MiB").verdict == Verdict::kPass);
  const auto hidden = verdict(300 * kMiB, "285MiB");
  CHECK(hidden.verdict == Verdict::kInconclusive);
  CHECK(hidden.reason ==
        "300.0 MiB of private and shared memory were resident, and the footprint accounts for "
        "100.0 MiB");
  CHECK(verdict(300 * kMiB, "99MiB").verdict == Verdict::kRegression);
}

TEST_CASE("what is unaccounted for is weighed against the limit, however small the program is",
          "[gate]") {
  const auto verdict = [](std::uint64_t rss_anon, const std::string& limit) {
    TraceBuilder trace;
    trace.allocate(10 * kMiB);
    trace.at_ms(5).sample(rss_anon);
    return decided(trace, budget(limit)).verdict;
  };
  // A twentieth below what was resident.
  CHECK(verdict(10 * kMiB + kMiB / 2, "10.01MiB") == Verdict::kInconclusive);
  CHECK(verdict(10 * kMiB + kMiB / 2, "10.5MiB") == Verdict::kPass);
  CHECK(verdict(10 * kMiB + kMiB / 8, "10MiB") == Verdict::kPass);
  CHECK(verdict(10 * kMiB, "9.99MiB") == Verdict::kRegression);
}

TEST_CASE("what a small program has resident may differ from its baseline's", "[gate]") {
  const auto fill = [](TraceBuilder& trace, std::uint64_t rss_anon) {
    trace.allocate(kMiB);
    trace.at_ms(5).sample(rss_anon);
  };
  TraceBuilder before;
  fill(before, 3 * kMiB);
  const auto reference = tests::reference_to(tests::baseline_of(before));
  TraceBuilder as_before;
  fill(as_before, 4 * kMiB);
  CHECK(decided(as_before, tests::against(reference)).verdict == Verdict::kPass);
  TraceBuilder more;
  fill(more, 5 * kMiB);
  CHECK(decided(more, tests::against(reference)).verdict == Verdict::kInconclusive);
}

TEST_CASE("against a baseline only what has come since is unaccounted for", "[gate]") {
  const auto fill = [](TraceBuilder& trace, std::uint64_t rss_anon) {
    trace.allocate(100 * kMiB);
    trace.allocate(50 * kMiB, trace::kNoStack, trace::Lane::kShared);
    trace.at_ms(5).sample(rss_anon);
  };
  TraceBuilder before;
  fill(before, 300 * kMiB);
  const auto reference = tests::reference_to(tests::baseline_of(before));
  TraceBuilder same;
  fill(same, 302 * kMiB);
  CHECK(decided(same, tests::against(reference)).verdict == Verdict::kPass);
  TraceBuilder more;
  fill(more, 330 * kMiB);
  CHECK(decided(more, tests::against(reference)).verdict == Verdict::kInconclusive);
}

namespace {

/// 100 MiB, of a mapping that counts as looks find it touched or of the heap; behind the last look
/// that found it the kernel's mark rises by 20 MiB more, beside 3 MiB of files.
void append_late_touch(TraceBuilder& trace, trace::Lane lane) {
  const auto sample = [&](std::uint64_t anon, std::uint64_t mark) {
    trace.sample(trace::Sample{.rss_anon_bytes = anon * kMiB,
                               .rss_file_bytes = 3 * kMiB,
                               .high_water_bytes = mark * kMiB});
  };
  trace.at_ms(1);
  const auto block =
      trace.allocate(lane == trace::Lane::kAnon ? 80 * kMiB : 100 * kMiB, trace::kNoStack, lane);
  if (lane == trace::Lane::kAnon) {
    trace.at_ms(9).grow(block, 20 * kMiB);
  }
  trace.at_ms(10);
  sample(101, 104);
  trace.at_ms(20);
  sample(4, 124);
}

}  // namespace

TEST_CASE("what was touched behind the last look could pass the limit", "[gate]") {
  const auto result = [](const std::string& limit, trace::Lane lane = trace::Lane::kAnon) {
    TraceBuilder trace;
    append_late_touch(trace, lane);
    return decided(trace, budget(limit));
  };
  CHECK(result("117MiB").verdict == Verdict::kInconclusive);
  CHECK(result("117MiB").reason ==
        "by the kernel's mark 121.0 MiB of private and shared memory were resident, and the "
        "footprint accounts for 100.0 MiB");
  // 1 MiB lies beside the footprint anyway.
  CHECK(result("119.9MiB").verdict == Verdict::kInconclusive);
  CHECK(result("120MiB").verdict == Verdict::kPass);
  CHECK(result("99MiB").verdict == Verdict::kRegression);
  // Of blocks that count in full a part of the limit may be anything.
  CHECK(result("118MiB", trace::Lane::kHeap).verdict == Verdict::kInconclusive);
  CHECK(result("119MiB", trace::Lane::kHeap).verdict == Verdict::kPass);
}

TEST_CASE("against a baseline what was touched late then counts, too", "[gate]") {
  TraceBuilder before;
  append_late_touch(before, trace::Lane::kAnon);
  auto baseline = tests::baseline_of(before);
  TraceBuilder same;
  append_late_touch(same, trace::Lane::kAnon);
  CHECK(decided(same, tests::against(tests::reference_to(baseline))).verdict == Verdict::kPass);
  baseline.private_by_mark = 0;  // As that of an older tidemark.
  TraceBuilder again;
  append_late_touch(again, trace::Lane::kAnon);
  CHECK(decided(again, tests::against(tests::reference_to(baseline))).verdict ==
        Verdict::kInconclusive);
}
