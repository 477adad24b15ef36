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

}  // namespace

TEST_CASE("the lives of blocks are told with their thread and their times", "[lives_text]") {
  const auto definitions = three_threads();
  BlockLives lives{.blocks = 32,
                   .first_allocated_ns = 10 * kMs,
                   .last_allocated_ns = 400 * kMs,
                   .first_freed_ns = 500 * kMs,
                   .last_freed_ns = 900 * kMs,
                   .threads = {{kMain, 32}}};
  CHECK(lives_text(lives, definitions) ==
        "allocated from 10 ms to 400 ms by main, thread 100; freed from 500 ms to 900 ms");

  lives.last_allocated_ns = 10 * kMs;
  lives.first_freed_ns = 900 * kMs;
  lives.kept_blocks = 3;
  lives.threads = {{kMain, 8}, {kLoader, 20}, {kNameless, 4}};
  CHECK(lives_text(lives, definitions) ==
        "allocated at 10 ms by 3 threads, most by loader, thread 101; freed at 900 ms; "
        "3 of 32 blocks were never freed");
  lives.kept_blocks = 1;
  CHECK_THAT(lives_text(lives, definitions), Catch::EndsWith("; 1 of 32 blocks was never freed"));

  lives.first_freed_ns = UINT64_MAX;
  lives.kept_blocks = 32;
  lives.threads = {{kNameless, 32}};
  CHECK(lives_text(lives, definitions) == "allocated at 10 ms by thread 102; never freed");
}

TEST_CASE("what a damaged trace does not say of blocks is left out", "[lives_text]") {
  BlockLives lives{.blocks = 1, .kept_blocks = 1, .threads = {{trace::ThreadId{77}, 1}}};
  CHECK(lives_text(lives, {}) == "allocated by an unknown thread; never freed");
  lives.threads.clear();
  CHECK(lives_text(lives, {}) == "allocated; never freed");
}
