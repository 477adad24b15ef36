#include "analyzer/query/live/block_lives.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <optional>

using namespace tidemark;
using analyzer::BlockLives;
using tests::TraceBuilder;

namespace {

constexpr std::uint64_t kMs = 1'000'000;

/// Of the blocks alive at an instant, by the stacks given.
std::vector<BlockLives> lives_at_ms(TraceBuilder& trace,
                                    std::uint64_t ms,
                                    const std::vector<trace::StackId>& stacks) {
  auto loaded = trace.open();
  return analyzer::block_lives(
      loaded, loaded.instant_at(ms * kMs), stacks.size(),
      [&stacks](const trace::Event& event) -> std::optional<std::uint32_t> {
        const auto found = std::ranges::find(stacks, event.stack);
        return found == stacks.end() ? std::nullopt : std::optional(found - stacks.begin());
      });
}

}  // namespace

TEST_CASE("the blocks alive at an instant have the times at which they came and went",
          "[block_lives]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto other = trace.stack({"malloc", "other", "main"});
  trace.at_ms(1).release(trace.allocate(10, load));  // Gone before, as
  const auto first = trace.at_ms(2).allocate(100, load);
  trace.at_ms(3).allocate(7, other);
  const auto second = trace.at_ms(5).allocate(200, load);
  trace.allocate(400, load);
  trace.at_ms(8).release(second);
  trace.at_ms(9).allocate(50, load);  // what comes later is none of them.
  trace.at_ms(12).release(first);

  const auto lives = lives_at_ms(trace, 6, {load});

  REQUIRE(lives.size() == 1);
  CHECK(lives[0].blocks == 3);
  CHECK(lives[0].first_allocated_ns == 2 * kMs);
  CHECK(lives[0].last_allocated_ns == 5 * kMs);
  CHECK(lives[0].first_freed_ns == 8 * kMs);
  CHECK(lives[0].last_freed_ns == 12 * kMs);
  CHECK(lives[0].kept_blocks == 1);
  CHECK(lives[0].kept_bytes == 400);
  CHECK(lives[0].smallest_bytes == 100);
  CHECK(lives[0].largest_bytes == 400);
  CHECK(lives[0].largest_freed_ns == UINT64_MAX);
}

TEST_CASE("of blocks as large as each other the first tells when the largest was freed",
          "[block_lives]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto small = trace.at_ms(1).allocate(100, load);
  const auto first = trace.at_ms(2).allocate(200, load);
  const auto second = trace.at_ms(3).allocate(200, load);
  trace.at_ms(8).release(second);
  trace.at_ms(9).release(first);
  trace.at_ms(10).release(small);

  const auto lives = lives_at_ms(trace, 5, {load});

  REQUIRE(lives.size() == 1);
  CHECK(lives[0].smallest_bytes == 100);
  CHECK(lives[0].largest_bytes == 200);
  CHECK(lives[0].largest_freed_ns == 9 * kMs);
}

TEST_CASE("when most of what is freed has gone is told by its bytes, not by its last block",
          "[block_lives]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto small = trace.at_ms(1).allocate(100, load);
  const auto large = trace.allocate(1000, load);
  const auto another = trace.allocate(1000, load);
  trace.allocate(5000, load);  // It stays.
  trace.at_ms(7).release(large);
  trace.at_ms(8).release(another);
  trace.at_ms(9).release(small);

  const auto lives = lives_at_ms(trace, 5, {load});

  CHECK(lives[0].most_freed_ns == 8 * kMs);
  CHECK(lives[0].last_freed_ns == 9 * kMs);
}

TEST_CASE("a block that is reallocated later lives on, and it is told where another stack did so",
          "[block_lives]") {
  TraceBuilder trace;
  const auto grow = trace.stack({"realloc", "grow", "main"});
  const auto other = trace.stack({"realloc", "other", "main"});
  const auto own = trace.at_ms(1).allocate(100, grow);
  const auto left = trace.allocate(100, grow);
  const auto grown = trace.at_ms(5).reallocate(own, 200, grow);
  const auto taken = trace.at_ms(6).reallocate(left, 80, other);
  trace.at_ms(9).release(grown);
  const auto taken_again = trace.reallocate(taken, 20, other);
  trace.at_ms(10).release(taken_again);

  const auto lives = lives_at_ms(trace, 3, {grow, other});

  CHECK(lives[0].blocks == 2);
  CHECK(lives[0].last_allocated_ns == 1 * kMs);
  CHECK(lives[0].first_freed_ns == 9 * kMs);
  CHECK(lives[0].last_freed_ns == 10 * kMs);
  CHECK(lives[0].taken_blocks == 1);
  CHECK(lives[0].taken_bytes == 80);
  CHECK(lives[0].first_taken_ns == 6 * kMs);
  CHECK(lives[0].last_taken_ns == 6 * kMs);
  CHECK(lives[0].kept_blocks == 0);
  CHECK(lives[0].kept_bytes == 0);
  CHECK(lives[1].blocks == 0);
  CHECK(lives[1].first_allocated_ns == UINT64_MAX);
}

TEST_CASE("a block that was reallocated before the instant is as old as the one that it began as",
          "[block_lives]") {
  TraceBuilder trace;
  const auto grow = trace.stack({"realloc", "grow", "main"});
  const auto load = trace.stack({"malloc", "load", "main"});
  trace.at_ms(1).allocate(100, grow);
  const auto loader = trace.thread(trace::ProcessId{0});
  const auto began = trace.at_ms(2).on(loader).allocate(300, load);
  const auto grown = trace.at_ms(4).on(trace::ThreadId{0}).reallocate(began, 400, load);
  const auto shrunk = trace.at_ms(5).reallocate(grown, 399, grow);
  trace.at_ms(9).release(shrunk);

  const auto lives = lives_at_ms(trace, 6, {grow, load});

  CHECK(lives[0].blocks == 2);
  CHECK(lives[0].first_allocated_ns == 1 * kMs);
  CHECK(lives[0].last_allocated_ns == 2 * kMs);
  CHECK(lives[0].resized_blocks == 1);
  CHECK(lives[0].first_resized_ns == 5 * kMs);
  CHECK(lives[0].last_resized_ns == 5 * kMs);
  CHECK(lives[0].first_freed_ns == 9 * kMs);
  CHECK(lives[0].threads ==
        std::map<trace::ThreadId, std::uint64_t>{{trace::ThreadId{0}, 1}, {loader, 1}});
  CHECK(lives[1].blocks == 0);
}

TEST_CASE("a chain of reallocations is followed back over blocks of events, as far as it is known",
          "[block_lives]") {
  TraceBuilder trace;
  const auto grow = trace.stack({"realloc", "grow", "main"});
  const auto began = trace.at_ms(1).allocate(100, grow);
  trace.flush();
  const auto grown = trace.at_ms(3).reallocate(began, 200, grow);
  trace.flush();
  const auto last = trace.at_ms(5).reallocate(grown, 300, grow);
  trace.flush();
  const auto plain = trace.at_ms(7).allocate(400, grow);
  auto loaded = trace.open();
  analyzer::BlockOrigins origins(loaded);
  const trace::AllocationNumber missing = plain + 1000;
  for (const trace::AllocationNumber block : {last, plain, missing}) {
    origins.seek(block, block);
  }

  while (origins.step()) {
  }

  REQUIRE(origins.of(last) != nullptr);
  CHECK(origins.of(last)->first == began);
  CHECK(origins.of(last)->at_ns == 1 * kMs);
  REQUIRE(origins.of(plain) != nullptr);
  CHECK(origins.of(plain)->first == plain);
  CHECK(origins.of(missing) == nullptr);
}

TEST_CASE("of a block that grows later, what it had at the instant goes with it", "[block_lives]") {
  TraceBuilder trace;
  const auto grow = trace.stack({"realloc", "grow", "main"});
  auto number = trace.at_ms(1).allocate(100, grow);
  trace.allocate(100, grow);  // It stays.
  for (std::uint64_t step = 0; step < 3; ++step) {
    number = trace.at_ms(5 + step).reallocate(number, 1000 * (step + 1), grow);
  }
  trace.at_ms(9).release(number);

  const auto lives = lives_at_ms(trace, 3, {grow});

  CHECK(lives[0].last_freed_ns == 9 * kMs);
  CHECK(lives[0].kept_blocks == 1);
  CHECK(lives[0].kept_bytes == 100);
}

TEST_CASE("a mapping that has given back all that it had is freed by that, until it grows again",
          "[block_lives]") {
  TraceBuilder trace;
  const auto arena = trace.stack({"mmap", "arena", "main"});
  const auto given = trace.at_ms(1).allocate(4096, arena, trace::Lane::kAnon);
  const auto again = trace.allocate(4096, arena, trace::Lane::kAnon);
  const auto partly = trace.allocate(4096, arena, trace::Lane::kAnon);
  trace.at_ms(2).release_part(given, 1000);
  trace.at_ms(5).release_part(given, 3096);
  trace.release_part(again, 4096);
  trace.release_part(partly, 4000);
  trace.at_ms(6).grow(again, 100);

  const auto lives = lives_at_ms(trace, 3, {arena});

  CHECK(lives[0].blocks == 3);
  CHECK(lives[0].kept_blocks == 2);
  CHECK(lives[0].emptied_blocks == 1);
  CHECK(lives[0].first_freed_ns == 5 * kMs);
  CHECK(lives[0].last_freed_ns == 5 * kMs);
}

TEST_CASE("blocks have the threads that asked for them, and the end of a process frees none",
          "[block_lives]") {
  TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load", "main"});
  const auto process = trace.process(300, "worker");
  const auto worker = trace.thread(process);
  trace.at_ms(1).allocate(100, load);
  trace.on(worker).at_ms(2).allocate(100, load);
  trace.allocate(100, load);
  trace.at_ms(8).end_process(process);

  const auto lives = lives_at_ms(trace, 4, {load});

  CHECK(lives[0].threads ==
        std::map<trace::ThreadId, std::uint64_t>{{trace::ThreadId{0}, 1}, {worker, 2}});
  CHECK(lives[0].kept_blocks == 3);
  CHECK(lives[0].first_freed_ns == UINT64_MAX);
}
