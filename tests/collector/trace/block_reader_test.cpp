#include "collector/trace/file/block_reader.hpp"

#include "tests/collector/trace/plain_model.hpp"
#include "tests/collector/trace/recording.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>
#include <thread>

namespace tidemark::trace::tests {
namespace {

std::vector<Event> in_parts(BlockReader& reader, std::size_t block) {
  std::vector<Event> events;
  reader.enter(block);
  const bool is_intact = reader.decode_parts(
      [&](std::span<const Event> part) { events.insert(events.end(), part.begin(), part.end()); });
  return is_intact ? events : std::vector<Event>{};
}

}  // namespace

TEST_CASE("events come in parts as they come at once", "[trace]") {
  Recording recording;
  record_at_random(recording, 5, 3'000);
  for (std::uint64_t i = 0; i < 5'000; ++i)
    recording.allocate(i);  // More than one part.
  const auto bytes = recording.finish();
  auto opened = TraceReader::open(bytes);
  REQUIRE(opened.ok());
  const auto reader = opened.value().block_reader();

  for (std::size_t block = 0; block < opened.value().blocks().size(); ++block) {
    std::vector<Event> whole;
    REQUIRE(opened.value().decode(block, whole));
    REQUIRE(text_of(in_parts(*reader, block)) == text_of(whole));
  }
}

TEST_CASE("several readers read one trace at once", "[trace]") {
  Recording recording;
  record_at_random(recording, 6, 3'000);
  const auto bytes = recording.finish();
  auto opened = TraceReader::open(bytes);
  REQUIRE(opened.ok());
  const std::size_t blocks = opened.value().blocks().size();
  const auto count_all = [&](std::size_t& count) {
    const auto reader = opened.value().block_reader();
    for (std::size_t block = 0; block < blocks; ++block)
      count += in_parts(*reader, block).size();
  };
  std::size_t first = 0;
  std::size_t second = 0;
  {
    const std::jthread other([&] { count_all(first); });
    count_all(second);
  }

  CHECK(first == recording.events().size());
  CHECK(second == first);
}

TEST_CASE("what a reader met is lost once it was counted, and once only", "[trace]") {
  Recording recording;
  recording.allocate(1);
  auto bytes = recording.finish();
  auto opened = TraceReader::open(bytes);
  REQUIRE(opened.ok());
  // Open already: the damage comes afterwards, in the payload of the one block.
  const auto reader = opened.value().block_reader();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto kept = bytes[i];
    bytes[i] ^= std::byte{1};
    if (!reader->enter(0))
      break;
    bytes[i] = kept;
  }
  REQUIRE_FALSE(reader->decode_parts([](std::span<const Event>) {}));
  CHECK(opened.value().loss().blocks_damaged == 0);

  opened.value().count(0, reader->outcome());
  opened.value().count(0, reader->outcome());

  CHECK(opened.value().loss().blocks_damaged == 1);
  CHECK(opened.value().loss().events_damaged == 1);
}

TEST_CASE("varints of any length are read as they were written", "[trace]") {
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> values{0, 1, 127, 128, UINT64_MAX};
  for (unsigned bits = 1; bits < 64; ++bits) {
    for (const std::uint64_t around : {0ULL, 1ULL, 2ULL})
      values.push_back((std::uint64_t{1} << bits) - 1 + around);
    values.push_back(random() >> bits);
  }
  for (const auto value : values) {
    CAPTURE(value);
    std::array<std::uint8_t, 2 * kMaxVarintBytes> coded{};
    coded.fill(0xff);
    const auto* const end = write_varint(coded.data(), value);
    const std::uint8_t* at = coded.data();

    CHECK(read_varint(at) == value);
    CHECK(at == end);
  }
}

}  // namespace tidemark::trace::tests
