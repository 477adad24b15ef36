// What listeners of a pass get, against the events of the trace one by one.
#include "analyzer/query/pass/event_pass.hpp"

#include "analyzer/load/scan.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <random>

using namespace tidemark;
using analyzer::Excerpt;
using analyzer::kLargeBlockBytes;
using analyzer::Passage;
using analyzer::PassedBlock;
using tests::TraceBuilder;

namespace {

/// Keeps all it is shown.
class Collector : public analyzer::PassListener {
 public:
  explicit Collector(bool needs_all) : needs_all_(needs_all) {}

  [[nodiscard]] bool needs_events(std::size_t,
                                  const trace::BlockSummary&,
                                  const trace::BlockDigest&) const override {
    return needs_all_;
  }
  void see(PassedBlock& block) override {
    numbers.push_back(block.number());
    incomplete_digests += block.digest() != nullptr && block.digest()->has_others ? 1U : 0U;
    const Excerpt* excerpt = block.excerpt(least_release_bytes);
    if (excerpt == nullptr) {
      ++damaged;
      return;
    }
    counts += excerpt->counts;
    passages.insert(passages.end(), excerpt->passages.begin(), excerpt->passages.end());
    highest = std::max(highest, excerpt->highest_footprint);
  }

  std::vector<std::size_t> numbers;
  std::vector<Passage> passages;
  analyzer::EventCounts counts;
  std::uint64_t highest = 0;
  std::size_t damaged = 0;
  std::size_t incomplete_digests = 0;
  std::uint64_t least_release_bytes = kLargeBlockBytes;

 private:
  bool needs_all_;
};

void append_noise(TraceBuilder& trace, std::mt19937& random) {
  const auto file = trace.file("/m/model.gguf", 1 << 30);
  std::vector<std::uint64_t> alive;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    trace.at_ns(i * 500'000);
    const std::uint64_t size = 1 + random() % (random() % 10 == 0 ? 1'000'000 : 5'000);
    const auto choice = random() % 16;
    if (choice < 7 || alive.empty()) {
      alive.push_back(trace.allocate(size));
    } else if (choice < 12) {
      std::swap(alive[random() % alive.size()], alive.back());
      trace.release(alive.back());
      alive.pop_back();
    } else if (choice < 13) {
      alive.back() = trace.reallocate(alive.back(), size);
    } else if (choice < 14) {
      trace.read_into(file, kLargeBlockBytes, alive.back());
    } else if (choice < 15) {
      trace.copy(kLargeBlockBytes, alive.front(), alive.back());
    } else {
      trace.sample(random() % 100'000'000);
    }
    if (random() % 50 == 0) {
      trace.flush();
    }
  }
}

bool is_plain(const trace::Event& event) {
  return event.kind == trace::EventKind::kAllocate || event.kind == trace::EventKind::kRelease ||
         event.kind == trace::EventKind::kReallocate;
}

bool is_large(const trace::Event& event) {
  return event.size >= kLargeBlockBytes || event.released_size >= kLargeBlockBytes;
}

}  // namespace

TEST_CASE("passages are the telling events, with the footprint of each", "[event_pass]") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  TraceBuilder trace;
  append_noise(trace, random);
  auto loaded = trace.open();
  REQUIRE(loaded.blocks().size() > 20);

  Collector collector(true);
  run_pass(loaded, resident_series(loaded), std::array<analyzer::PassListener*, 1>{&collector});

  trace::LaneTotals totals;
  std::uint64_t highest = 0;
  auto passage = collector.passages.begin();
  for (std::size_t i = 0; i < trace.events().size(); ++i) {
    trace::apply(trace.events()[i], totals);
    highest = std::max(highest, totals.footprint());
    const bool is_there = passage != collector.passages.end() && passage->ordinal == i;
    if (!is_plain(trace.events()[i]) || is_large(trace.events()[i])) {
      REQUIRE(is_there);
    }
    if (is_there) {
      REQUIRE(passage->event.kind == trace.events()[i].kind);
      REQUIRE(passage->event.size == trace.events()[i].size);
      REQUIRE(passage->footprint == totals.footprint());
      collector.highest = std::max(collector.highest, passage->highest_footprint);
      ++passage;
    }
  }
  CHECK(passage == collector.passages.end());
  CHECK(collector.highest == highest);
  CHECK(std::ranges::is_sorted(collector.numbers));
  CHECK(collector.numbers.size() == loaded.blocks().size());
}

TEST_CASE("who needs fewer events is given the same", "[event_pass]") {
  std::mt19937 random(7);
  TraceBuilder trace;
  append_noise(trace, random);
  auto loaded = trace.open();

  Collector all(true);
  Collector some(false);
  run_pass(loaded, {}, std::array<analyzer::PassListener*, 1>{&all});
  run_pass(loaded, {}, std::array<analyzer::PassListener*, 1>{&some});

  CHECK(all.passages.size() == some.passages.size());
  CHECK(all.counts.allocations == some.counts.allocations);
  CHECK(all.counts.frees == some.counts.frees);
  CHECK(some.incomplete_digests == 0);
}

TEST_CASE("smaller releases are seen once a listener asks for them", "[event_pass]") {
  TraceBuilder trace;
  std::vector<std::uint64_t> blocks;
  for (int i = 0; i < 200; ++i) {
    blocks.push_back(trace.at_ms(static_cast<std::uint64_t>(i)).allocate(1000));
  }
  trace.flush();
  for (const std::uint64_t block : blocks) {
    trace.release(block);
    if (block % 10 == 0) {
      trace.flush();
    }
  }
  auto loaded = trace.open();

  Collector collector(true);
  collector.least_release_bytes = 1000;
  run_pass(loaded, {}, std::array<analyzer::PassListener*, 1>{&collector});

  CHECK(collector.passages.size() == 200);
}

TEST_CASE("the release of a block that shrank is seen in the same block of events",
          "[event_pass]") {
  TraceBuilder trace;
  const auto large = trace.at_ms(1).allocate(1'000'000);
  const auto small = trace.at_ms(2).reallocate(large, 100);
  trace.at_ms(3).release(small);
  auto loaded = trace.open();

  Collector collector(true);
  run_pass(loaded, {}, std::array<analyzer::PassListener*, 1>{&collector});

  CHECK(collector.passages.size() == 3);
}

TEST_CASE("a damaged block is shown as one, and counted once for all listeners", "[event_pass]") {
  std::mt19937 random(3);
  TraceBuilder trace;
  append_noise(trace, random);
  const std::string path = trace.finish();
  {
    // Past the file's header and the first blocks' headers, in the middle of some payload.
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(20'000);
    file.write("damage", 6);
  }
  auto loaded = analyzer::LoadedTrace::open(path);
  REQUIRE(loaded.ok());

  Collector first(true);
  Collector second(true);
  run_pass(loaded.value(), {}, std::array<analyzer::PassListener*, 2>{&first, &second});

  CHECK(first.damaged == 1);
  CHECK(second.damaged == 1);
  CHECK(loaded.value().loss().blocks_damaged == 1);
}
