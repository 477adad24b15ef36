#include "tests/collector/trace/plain_model.hpp"
#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <random>

namespace tidemark::trace::tests {
namespace {

BlockSummary only_block(Recording& recording) {
  const auto content = content_of(recording.finish());
  REQUIRE(content.blocks.size() == 1);
  return content.blocks[0];
}

TEST_CASE("a block that lives for one event is the maximum", "[trace][summary]") {
  Recording recording;
  recording.at(1'000).allocate(100);
  const auto spike = recording.at(2'000).allocate(300'000'000);
  recording.at(2'000).release(spike);
  recording.at(9'000).allocate(50);

  const auto block = only_block(recording);

  CHECK(block.maximum_footprint == 300'000'100);
  CHECK(block.maximum[Lane::kHeap] == 300'000'100);
  CHECK(block.maximum_at_event == 1);
  CHECK(block.maximum_at_ns == 2'000);
  CHECK(block.at_end[Lane::kHeap] == 150);
}

TEST_CASE("the first event that reaches the maximum is the one named", "[trace][summary]") {
  Recording recording;
  const auto first = recording.at(1'000).allocate(500);
  recording.at(2'000).release(first);
  recording.at(3'000).allocate(500);

  const auto block = only_block(recording);

  CHECK(block.maximum_at_event == 0);
  CHECK(block.maximum_at_ns == 1'000);
}

TEST_CASE("a block that only falls has its maximum before its first event", "[trace][summary]") {
  Recording recording;
  const auto first = recording.at(1'000).allocate(500);
  recording.flush();
  recording.at(2'000).release(first);
  recording.at(3'000).allocate(400);

  const auto blocks = content_of(recording.finish()).blocks;

  REQUIRE(blocks.size() == 2);
  CHECK(blocks[1].maximum_at_event == BlockSummary::kBeforeFirst);
  CHECK(blocks[1].maximum_at_ns == 2'000);
  CHECK(blocks[1].maximum_footprint == 500);
  CHECK(blocks[1].minimum_footprint == 0);
}

TEST_CASE("a block that falls and climbs back names the event that reached the top again",
          "[trace][summary]") {
  Recording recording;
  const auto first = recording.at(1'000).allocate(500);
  recording.flush();
  recording.at(2'000).release(first);
  recording.at(3'000).allocate(500);

  const auto blocks = content_of(recording.finish()).blocks;

  REQUIRE(blocks.size() == 2);
  CHECK(blocks[1].maximum_at_event == 1);
  CHECK(blocks[1].maximum_at_ns == 3'000);
}

TEST_CASE("file mappings are in their lane and not in the footprint", "[trace][summary]") {
  Recording recording;
  recording.allocate(1 << 30, Recording::kInner, Lane::kFile);
  recording.allocate(7, Recording::kInner, Lane::kAnon);
  recording.allocate(8, Recording::kInner, Lane::kDevice);

  const auto block = only_block(recording);

  CHECK(block.maximum[Lane::kFile] == 1 << 30);
  CHECK(block.maximum_footprint == 15);
}

TEST_CASE("a reallocation never counts both blocks", "[trace][summary]") {
  Recording recording;
  const auto block = recording.allocate(1'000);
  recording.reallocate(block, 1'500);

  CHECK(only_block(recording).maximum_footprint == 1'500);
}

TEST_CASE("the writer's totals follow every event", "[trace][summary]") {
  Recording recording;
  const auto first = recording.allocate(1'000);
  CHECK(recording.writer().totals()[Lane::kHeap] == 1'000);
  recording.flush();
  CHECK(recording.writer().totals()[Lane::kHeap] == 1'000);
  recording.release(first);
  CHECK(recording.writer().totals()[Lane::kHeap] == 0);
  CHECK(recording.writer().event_count() == 2);
}

TEST_CASE("random streams come back with the summaries of a plain model",
          "[trace][summary][random]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U);
  CAPTURE(seed);
  Recording recording;
  const auto flushed_at = record_at_random(recording, seed, 3'000);
  const auto expected = recording.events();

  const auto content = content_of(recording.finish());

  CHECK(text_of(content.events) == text_of(expected));
  CHECK(texts_of(content.blocks) == texts_of(plain_summaries(expected, flushed_at)));
}

}  // namespace
}  // namespace tidemark::trace::tests
