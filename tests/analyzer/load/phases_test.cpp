#include "analyzer/load/phases.hpp"

#include "analyzer/report/facts/report.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace tidemark;
using tests::kMiB;
using tests::TraceBuilder;

namespace {

analyzer::Report report_of(TraceBuilder& trace) {
  auto loaded = trace.open();
  auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  return report.value();
}

/// Marks and what the footprint was after each, as a collector sees them.
struct Marks {
  explicit Marks(trace::Definitions of) : definitions(std::move(of)) {}

  void add(trace::EventKind kind,
           std::uint32_t thread,
           std::uint64_t name,
           std::uint64_t footprint) {
    trace::Event event;
    event.kind = kind;
    event.at_ns = footprints.size();
    event.extra = name;
    event.thread = trace::ThreadId{thread};
    collector.see(event, footprint, footprints.size());
    footprints.push_back(footprint);
  }
  /// Of all that were, the highest from the begin of a phase to its end.
  [[nodiscard]] std::uint64_t highest_in(const analyzer::Phase& phase) const {
    const auto end = std::min<std::uint64_t>(phase.end_event + 1, footprints.size());
    return *std::max_element(footprints.begin() + static_cast<std::ptrdiff_t>(phase.begin_event),
                             footprints.begin() + static_cast<std::ptrdiff_t>(end));
  }
  std::vector<analyzer::Phase> take() {
    return collector.take(footprints.size(), footprints.size());
  }

  trace::Definitions definitions;
  analyzer::PhaseCollector collector{definitions};
  std::vector<std::uint64_t> footprints;
};

trace::Definitions two_names() {
  trace::Definitions definitions;
  definitions.names = {"", "load", "convert"};
  return definitions;
}

}  // namespace

TEST_CASE("a phase knows its span and the highest footprint inside it", "[phases]") {
  TraceBuilder trace;
  trace.release(trace.at_ms(1).allocate(9000));
  trace.at_ms(2).begin_phase("deserialize");
  trace.release(trace.at_ms(3).allocate(500));
  trace.at_ms(4).end_phase("deserialize");
  trace.release(trace.at_ms(5).allocate(8000));

  const auto report = report_of(trace);

  REQUIRE(report.phases.size() == 1);
  CHECK(report.phases[0].name == "deserialize");
  CHECK(report.phases[0].begin_ns == 2'000'000);
  CHECK(report.phases[0].end_ns == 4'000'000);
  CHECK(report.phases[0].peak_bytes == 500);
  CHECK_FALSE(report.peak_phase.has_value());
}

TEST_CASE("memory held from before a phase counts in it", "[phases]") {
  TraceBuilder trace;
  const auto held = trace.allocate(700);
  trace.begin_phase("convert");
  trace.release(held);
  trace.end_phase("convert");

  CHECK(report_of(trace).phases.at(0).peak_bytes == 700);
}

TEST_CASE("the peak's phase is the innermost one open", "[phases]") {
  TraceBuilder trace;
  trace.begin_phase("load");
  trace.at_ms(1).begin_phase("read");
  trace.at_ms(2).end_phase("read");
  trace.at_ms(3).begin_phase("deserialize");
  trace.at_ms(4).allocate(1000);
  trace.flush();
  trace.at_ms(5).end_phase("deserialize");
  trace.at_ms(6).end_phase("load");

  const auto report = report_of(trace);

  REQUIRE(report.peak_phase.has_value());
  CHECK(report.peak_phase->name == "deserialize");
  CHECK(report.phases.at(0).peak_bytes == 1000);
  CHECK(report.phases.at(1).peak_bytes == 0);
}

TEST_CASE("the phase of the thread that made the peak goes before another thread's", "[phases]") {
  TraceBuilder trace;
  const auto other = trace.thread(trace::ProcessId{0});
  trace.begin_phase("load");
  trace.on(other).at_ms(1).begin_phase("prefetch");
  trace.on(trace::ThreadId{0}).at_ms(2).allocate(1000);
  trace.on(other).at_ms(3).end_phase("prefetch");
  trace.on(trace::ThreadId{0}).at_ms(4).end_phase("load");

  CHECK(report_of(trace).peak_phase->name == "load");
}

TEST_CASE("a phase nobody ended lasts to the end of the session", "[phases]") {
  TraceBuilder trace;
  trace.begin_phase("load");
  trace.at_ms(8).allocate(10);
  trace.session.duration_ns = 9'000'000;

  const auto report = report_of(trace);

  CHECK(report.phases.at(0).end_ns == 9'000'000);
  CHECK(report.peak_phase->name == "load");
}

TEST_CASE("without marks phases are found from the reads of the model", "[phases]") {
  TraceBuilder trace;
  const auto file = trace.file("/m/model.params", 4 * kMiB);
  trace.at_ms(1).allocate(100);
  trace.at_ms(2).read(file, 2 * kMiB);
  trace.release(trace.at_ms(3).allocate(500));
  trace.at_ms(4).read(file, 2 * kMiB);
  trace.at_ms(6).allocate(900);

  const auto report = report_of(trace);

  REQUIRE(report.phases.size() == 3);
  CHECK(report.phases[0].name == "before read");
  CHECK(report.phases[0].peak_bytes == 100);
  CHECK(report.phases[1].name == "read model.params");
  CHECK(report.phases[1].peak_bytes == 600);
  CHECK(report.phases[1].end_ns == 4'000'000);
  CHECK(report.phases[2].name == "after read");
  CHECK(report.phases[2].peak_bytes == 1000);
  CHECK_FALSE(report.phases[2].marked);
  CHECK(report.peak_phase->name == "after read");
}

TEST_CASE("a file that is read at once is being read from its opening on", "[phases]") {
  TraceBuilder trace;
  const auto file = trace.file("/m/model.params", 4 * kMiB);
  trace.at_ms(1).open_file(file);
  trace.at_ms(2).open_file(file);
  trace.at_ms(3).allocate(4 * kMiB);
  trace.at_ms(9).read(file, 4 * kMiB);
  trace.at_ms(10).open_file(file);
  trace.at_ms(12).allocate(900);

  const auto report = report_of(trace);

  REQUIRE(report.phases.size() == 3);
  CHECK(report.phases[0].end_ns == 2'000'000);
  CHECK(report.phases[1].begin_ns == 2'000'000);
  CHECK(report.phases[1].end_ns == 9'000'000);
  CHECK(report.phases[1].peak_bytes == 4 * kMiB);
}

TEST_CASE("of files that were all opened first each is read after the one before", "[phases]") {
  TraceBuilder trace;
  const auto first = trace.file("/m/model-1.safetensors", 4 * kMiB);
  const auto second = trace.file("/m/model-2.safetensors", 4 * kMiB);
  trace.at_ms(1).open_file(second);
  trace.at_ms(2).open_file(first);
  trace.at_ms(4).read(first, 4 * kMiB);
  trace.at_ms(5).allocate(100);
  trace.at_ms(8).read(second, 4 * kMiB);

  const auto report = report_of(trace);

  REQUIRE(report.phases.size() == 4);
  CHECK(report.phases[1].begin_ns == 2'000'000);
  CHECK(report.phases[1].end_ns == 4'000'000);
  CHECK(report.phases[2].name == "read model-2.safetensors");
  CHECK(report.phases[2].begin_ns == 4'000'001);
  CHECK(report.phases[2].end_ns == 8'000'000);
  CHECK(report.peak_phase->name == "read model-2.safetensors");
}

TEST_CASE("files that are read in turns begin with their first reads", "[phases]") {
  TraceBuilder trace;
  const auto first = trace.file("/m/model-1.safetensors", 8 * kMiB);
  const auto second = trace.file("/m/model-2.safetensors", 8 * kMiB);
  trace.at_ms(1).open_file(first);
  trace.at_ms(1).open_file(second);
  trace.at_ms(2).read(first, 4 * kMiB);
  trace.at_ms(3).read(second, 4 * kMiB);
  trace.at_ms(4).read(first, 4 * kMiB);
  trace.at_ms(5).read(second, 4 * kMiB);

  const auto report = report_of(trace);

  REQUIRE(report.phases.size() == 4);
  CHECK(report.phases[1].begin_ns == 1'000'000);
  CHECK(report.phases[2].begin_ns == 3'000'000);
}

TEST_CASE("without marks and without a model there are no phases", "[phases]") {
  TraceBuilder trace;
  trace.allocate(100);

  CHECK(report_of(trace).phases.empty());
}

TEST_CASE("a model of many files is read in one phase", "[phases]") {
  const std::size_t count = GENERATE(24U, 25U);
  TraceBuilder trace;
  std::vector<trace::FileId> files;
  for (std::size_t i = 0; i < count; ++i) {
    files.push_back(trace.file("/m/model-" + std::to_string(i) + ".safetensors", 8 * kMiB));
  }
  for (std::size_t i = 0; i < count; ++i) {
    trace.at_ms(2 + i).open_file(files[i]);
    trace.read(files[i], 8 * kMiB);
  }
  trace.at_ms(100).allocate(1);

  const auto phases = report_of(trace).phases;

  REQUIRE(phases.size() == (count == 24 ? 26 : 3));
  CHECK(phases[1].name == (count == 24 ? "read model-0.safetensors" : "read 25 files"));
  CHECK(phases[1].begin_ns == 2'000'000);
  CHECK(phases[count == 24 ? 24 : 1].end_ns == (1 + count) * 1'000'000);
}

TEST_CASE("phases of several threads have the highest footprint of their own time", "[phases]") {
  const auto seed = GENERATE(range(1U, 30U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  Marks marks(two_names());
  for (int i = 0; i < 300; ++i) {
    // Ends without a begin, and begins without an end, are among them.
    const bool is_begin = random() % 2 == 0;
    marks.add(is_begin ? trace::EventKind::kPhaseBegin : trace::EventKind::kPhaseEnd,
              static_cast<std::uint32_t>(random() % 3), 1 + random() % 2, random() % 1000);
  }

  const auto phases = marks.take();

  REQUIRE_FALSE(phases.empty());
  for (const analyzer::Phase& phase : phases) {
    CAPTURE(phase.begin_event, phase.end_event);
    CHECK(phase.peak_bytes == marks.highest_in(phase));
  }
}

// Each mark credited all that were open: the time limit of the tests is what fails then.
TEST_CASE("half a million phases that nobody ends are no more work than others", "[phases]") {
  constexpr std::uint64_t kPhases = 500'000;
  Marks marks(two_names());
  for (std::uint64_t i = 0; i < kPhases; ++i) {
    marks.add(trace::EventKind::kPhaseBegin, 0, 1, i);
  }
  const auto phases = marks.take();
  REQUIRE(phases.size() == kPhases);
  CHECK(phases.front().peak_bytes == kPhases - 1);
}
