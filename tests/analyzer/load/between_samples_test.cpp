#include "analyzer/load/between_samples.hpp"

#include "analyzer/load/scan.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <random>
#include <vector>

using namespace tidemark;
using tests::TraceBuilder;

namespace {

void append_sample(TraceBuilder& trace, std::uint64_t file, std::uint64_t mark) {
  trace.sample(trace::Sample{.rss_anon_bytes = 1000,
                             .rss_file_bytes = file,
                             .rss_shmem_bytes = 30,
                             .own_bytes = 7,
                             .high_water_bytes = mark});
}

std::vector<analyzer::BetweenSamples> gaps_of(TraceBuilder& trace) {
  auto loaded = trace.open();
  auto gaps = analyzer::scan(loaded, analyzer::resident_series(loaded)).gaps;
  REQUIRE(gaps.size() == 1);
  return gaps.front();
}

/// One process alone has been there, with these samples.
std::vector<analyzer::BetweenSamples> gaps_of(const std::vector<trace::Sample>& samples) {
  const std::vector<trace::Process> processes(1);
  return analyzer::SampleGaps(processes, samples).take().front();
}

/// As the words say it, for the last of the samples up to `count`.
std::uint64_t new_file_bytes(const std::vector<trace::Sample>& samples, std::size_t count) {
  const trace::Sample& last = samples[count - 1];
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < count && samples[i].at_ns + 100'000'000 <= last.at_ns; ++i) {
    before = samples[i].rss_file_bytes;
  }
  return last.rss_file_bytes - std::min(before, last.rss_file_bytes);
}

}  // namespace

TEST_CASE("between two samples stands what was unmapped, given back and found touched",
          "[resident]") {
  TraceBuilder trace;
  const auto mapping = trace.map(trace.file("/m/model.bin", 400), 400);
  const auto shared = trace.allocate(20, trace::kNoStack, trace::Lane::kShared);
  const auto anon = trace.allocate(100, trace::kNoStack, trace::Lane::kAnon);
  trace.at_ms(10);
  append_sample(trace, 500, 1600);
  trace.at_ms(12).release(mapping);
  trace.at_ms(13).release(shared);
  trace.at_ms(14).grow(anon, 60);
  trace.at_ms(15).release_part(anon, 10);
  trace.at_ms(20);
  append_sample(trace, 300, 1700);
  trace.at_ms(30).release(anon);

  const auto gaps = gaps_of(trace);

  REQUIRE(gaps.size() == 3);
  CHECK(gaps[0].is_first);
  CHECK(gaps[0].mark == 1600);
  CHECK(gaps[0].private_at_most() == 1600);
  CHECK(gaps[1].unmapped_bytes == 420);
  CHECK(gaps[1].grown_bytes == 60);
  CHECK(gaps[1].has_risen);
  // Of 500 bytes of files 420 may have gone; of the shared memory all; tidemark's own stayed.
  CHECK(gaps[1].private_at_most() == 1700 - 80 - 7);
  CHECK(gaps[2].is_last);
  CHECK_FALSE(gaps[2].has_risen);
  CHECK(gaps[2].unmapped_bytes == 0);
  CHECK(gaps[2].private_at_most() == 1700 - 300 - 30 - 7);
}

TEST_CASE("pages that are missing from the later sample may have gone at any time", "[resident]") {
  TraceBuilder trace;
  trace.at_ms(10);
  append_sample(trace, 500, 1600);
  trace.at_ms(20);
  append_sample(trace, 300, 1700);

  CHECK(gaps_of(trace).at(1).private_at_most() == 1700 - 300 - 30 - 7);
}

TEST_CASE("a sample without a mark leaves all marks to the last one", "[resident]") {
  TraceBuilder trace;
  trace.at_ms(10).sample(1000, 20);
  trace.at_ms(20).sample(5000, 20);

  for (const auto& gap : gaps_of(trace)) {
    CHECK(gap.mark == 5020);
    CHECK_FALSE(gap.has_risen);
  }
}

TEST_CASE("a process that is gone has no file pages to compare with", "[resident]") {
  TraceBuilder trace;
  trace.at_ms(10);
  append_sample(trace, 500, 1600);
  trace.at_ms(20);
  trace.sample(trace::Sample{.high_water_bytes = 1600});

  const auto gaps = gaps_of(trace);

  REQUIRE(gaps.size() == 2);
  CHECK(gaps[1].is_last);
  CHECK(gaps[1].private_at_most() == 1600 - 500 - 30 - 7);
}

TEST_CASE("file pages that came in the tenth of a second before are known", "[resident]") {
  TraceBuilder trace;
  trace.at_ms(10);
  append_sample(trace, 100, 1600);
  trace.at_ms(150);
  append_sample(trace, 170, 1700);
  trace.at_ms(200);
  append_sample(trace, 400, 1900);

  const auto gaps = gaps_of(trace);

  REQUIRE(gaps.size() == 4);
  CHECK(gaps[1].new_file_bytes == 100);  // All since it began.
  CHECK(gaps[3].new_file_bytes == 300);
}

TEST_CASE("new file pages are those of a tenth of a second, however samples lie in time",
          "[resident]") {
  const auto seed = GENERATE(range(1U, 20U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<trace::Sample> samples;
  std::uint64_t at_ns = 0;
  for (int i = 0; i < 200; ++i) {
    // Many are of one time, some just a tenth of a second apart, some further.
    at_ns += (random() % 4) * 25'000'000 * (random() % 3);
    samples.push_back({.at_ns = at_ns, .rss_file_bytes = 1 + random() % 1000});
  }

  const auto gaps = gaps_of(samples);

  REQUIRE(gaps.size() == samples.size() + 1);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    CAPTURE(i);
    CHECK(gaps[i + 1].new_file_bytes == new_file_bytes(samples, i + 1));
  }
}

// Each looked back over all before it: the time limit of the tests is what fails then.
TEST_CASE("half a million samples of one time are no more work than others", "[resident]") {
  constexpr std::size_t kSamples = 500'000;
  const auto gaps = gaps_of(std::vector<trace::Sample>(kSamples, {.rss_file_bytes = 7}));
  REQUIRE(gaps.size() == kSamples + 1);
  CHECK(gaps.back().new_file_bytes == 7);
}
