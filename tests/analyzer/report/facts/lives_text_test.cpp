#include "analyzer/report/facts/lives_text.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::BlockLives;
using analyzer::lives_text;

namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr trace::ThreadId kMain{0};
constexpr trace::ThreadId kLoader{1};
constexpr trace::ThreadId kNameless{2};

trace::Definitions three_threads() {
  trace::Definitions definitions;
  definitions.threads = {{.process = {}, .tid = 100, .name = "main"},
                         {.process = {}, .tid = 101, .name = "loader"},
                         {.process = {}, .tid = 102, .name = ""}};
  return definitions;
}

constexpr analyzer::LoadMoments kNoPhases{.peak_ns = 450 * kMs, .end_ns = 2000 * kMs};

}  // namespace

TEST_CASE("the lives of blocks are told with their thread and their times", "[lives_text]") {
  const auto definitions = three_threads();
  BlockLives lives{.blocks = 32,
                   .first_allocated_ns = 10 * kMs,
                   .last_allocated_ns = 400 * kMs,
                   .first_freed_ns = 500 * kMs,
                   .last_freed_ns = 900 * kMs,
                   .threads = {{kMain, 32}}};
  CHECK(lives_text(lives, definitions, kNoPhases) ==
        "allocated from 10 ms to 400 ms by main, thread 100; freed from 500 ms to 900 ms, 50 ms to "
        "450 ms after the peak");

  lives.last_allocated_ns = 10 * kMs;
  lives.first_freed_ns = 900 * kMs;
  lives.kept_blocks = 3;
  lives.threads = {{kMain, 8}, {kLoader, 20}, {kNameless, 4}};
  CHECK(
      lives_text(lives, definitions, kNoPhases) ==
      "allocated at 10 ms by 3 threads, most by loader, thread 101; freed at 900 ms, 450 ms after "
      "the peak; 3 of 32 blocks were never freed");
  lives.kept_blocks = 1;
  CHECK_THAT(lives_text(lives, definitions, kNoPhases),
             Catch::EndsWith("; 1 of 32 blocks was never freed"));

  lives.first_freed_ns = UINT64_MAX;
  lives.kept_blocks = 32;
  lives.threads = {{kNameless, 32}};
  CHECK(lives_text(lives, definitions, kNoPhases) ==
        "allocated at 10 ms by thread 102; never freed");
}

TEST_CASE("what another function made smaller, and what was given back, is no more told as freed",
          "[lives_text]") {
  BlockLives lives{.blocks = 1,
                   .first_allocated_ns = 10 * kMs,
                   .last_allocated_ns = 10 * kMs,
                   .first_freed_ns = 500 * kMs,
                   .last_freed_ns = 500 * kMs,
                   .taken_blocks = 1,
                   .taken_bytes = 51 << 20,
                   .first_taken_ns = 460 * kMs,
                   .last_taken_ns = 460 * kMs,
                   .threads = {{kMain, 1}}};
  const auto text = [&] { return lives_text(lives, three_threads(), kNoPhases); };
  CHECK(text() ==
        "allocated at 10 ms by main, thread 100; resized by another function to 51.0 MiB at 460 "
        "ms, 10 ms after the peak; freed at 500 ms, 50 ms after the peak");
  lives.blocks = 4;
  lives.taken_blocks = 3;
  lives.last_taken_ns = 470 * kMs;
  CHECK_THAT(text(), Catch::Contains("; 3 of 4 blocks resized by another function to 51.0 MiB in "
                                     "all, from 460 ms to 470 ms, 10 ms to 20 ms after the peak"));
  lives.taken_blocks = 0;
  lives.emptied_blocks = 4;
  CHECK_THAT(text(), Catch::EndsWith("; given back at 500 ms, 50 ms after the peak"));
  lives.emptied_blocks = 3;
  CHECK_THAT(text(), Catch::EndsWith("; freed at 500 ms, 50 ms after the peak"));
}

TEST_CASE("blocks that were resized are told with when they last were", "[lives_text]") {
  BlockLives lives{.blocks = 1,
                   .first_allocated_ns = 10 * kMs,
                   .last_allocated_ns = 10 * kMs,
                   .resized_blocks = 1,
                   .first_resized_ns = 14 * kMs,
                   .last_resized_ns = 14 * kMs,
                   .kept_blocks = 1,
                   .threads = {{kMain, 1}}};
  CHECK(lives_text(lives, three_threads(), kNoPhases) ==
        "allocated at 10 ms by main, thread 100; last resized at 14 ms; never freed");
  lives.blocks = lives.kept_blocks = 4;
  lives.resized_blocks = 3;
  lives.last_resized_ns = 20 * kMs;
  CHECK_THAT(lives_text(lives, three_threads(), kNoPhases),
             Catch::Contains("; 3 of 4 blocks last resized from 14 ms to 20 ms; never freed"));
}

TEST_CASE("times that a tenth of a second makes one are told apart", "[lives_text]") {
  const std::vector<analyzer::Phase> phases{
      {.name = "read", .begin_ns = 0, .end_ns = 4793 * kMs},
      {.name = "after read", .begin_ns = 4793 * kMs, .end_ns = 5000 * kMs}};
  const analyzer::LoadMoments moments{
      .peak_ns = 4797 * kMs, .end_ns = 5000 * kMs, .phases = phases};
  BlockLives lives{.blocks = 1,
                   .first_allocated_ns = 4512 * kMs,
                   .last_allocated_ns = 4790 * kMs,
                   .first_freed_ns = 4798 * kMs,
                   .last_freed_ns = 4798 * kMs,
                   .threads = {{kMain, 1}}};
  CHECK(lives_text(lives, three_threads(), moments) ==
        "allocated from 4.512 s to 4.790 s by main, thread 100, in phase read; freed at 4.798 s, "
        "1.0 ms after the peak, in phase after read");

  lives.last_allocated_ns = 4795 * kMs;
  lives.last_freed_ns = 4998 * kMs;
  CHECK(
      lives_text(lives, three_threads(), moments) ==
      "allocated from 4.512 s to 4.795 s by main, thread 100, in phases read to after read; freed "
      "from 4.798 s to 4.998 s, 1.0 ms to 201 ms after the peak, 2.0 ms before the end, in phase "
      "after read");
}

TEST_CASE("of several blocks the largest is told, and how it went", "[lives_text]") {
  BlockLives lives{.blocks = 14,
                   .first_allocated_ns = 10 * kMs,
                   .last_allocated_ns = 10 * kMs,
                   .first_freed_ns = 500 * kMs,
                   .last_freed_ns = 900 * kMs,
                   .smallest_bytes = 16,
                   .largest_bytes = 4 << 20,
                   .largest_freed_ns = 600 * kMs,
                   .threads = {{kMain, 14}}};
  const auto text = [&] { return lives_text(lives, three_threads(), kNoPhases); };
  CHECK_THAT(text(), Catch::EndsWith("after the peak; largest: 4.00 MiB, freed at 600 ms"));

  lives.largest_freed_ns = UINT64_MAX;
  lives.kept_blocks = 1;
  CHECK_THAT(text(), Catch::EndsWith("; largest: 4.00 MiB, never freed"));
  lives.smallest_bytes = lives.largest_bytes;
  CHECK_THAT(text(), Catch::EndsWith("; each of 4.00 MiB"));
  // All of them go at once, which is said.
  lives.smallest_bytes = 16;
  lives.kept_blocks = 0;
  lives.last_freed_ns = lives.first_freed_ns;
  CHECK_THAT(text(), Catch::EndsWith("; largest: 4.00 MiB"));
  lives.largest_bytes = 1000;
  CHECK_THAT(text(), Catch::EndsWith("after the peak"));
}

TEST_CASE("what a damaged trace does not say of blocks is left out", "[lives_text]") {
  BlockLives lives{.blocks = 1, .kept_blocks = 1, .threads = {{trace::ThreadId{77}, 1}}};
  CHECK(lives_text(lives, {}, kNoPhases) == "allocated by an unknown thread; never freed");
  lives.threads.clear();
  CHECK(lives_text(lives, {}, kNoPhases) == "allocated; never freed");
}
