#include "collector/session/ring_reader.hpp"

#include "tests/collector/session/written_ring.hpp"
#include "tests/support/catch.hpp"

#include <numeric>
#include <random>
#include <string>

using namespace tidemark;
using tidemark::tests::read_addresses;
using tidemark::tests::read_all;
using tidemark::tests::WrittenRing;
using Addresses = std::vector<std::uint64_t>;

namespace {

std::string text_of(const RingBatch& batch, const RawRecord& record) {
  REQUIRE(record.payload_at + record.payload_bytes <= batch.payload.size());
  const auto* text = reinterpret_cast<const char*>(batch.payload.data()) + record.payload_at;
  return {text, std::min<std::size_t>(record.size, record.payload_bytes)};
}

Addresses numbers(std::uint64_t from, std::uint64_t count) {
  Addresses list(count);
  std::iota(list.begin(), list.end(), from);
  return list;
}

}  // namespace

TEST_CASE("records come out of a ring in the order in which they went in", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  for (const std::uint64_t address : numbers(100, 50))
    ring.push(address);

  CHECK(reader.has_unread());
  CHECK(reader.reserved() - reader.position() == 50);
  CHECK(read_addresses(reader) == numbers(100, 50));
  CHECK_FALSE(reader.has_unread());
  CHECK(read_addresses(reader).empty());
}

TEST_CASE("every field of a record arrives", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  wire::Slot& slot = ring.slot(ring.reserve());
  slot.size = 22;
  slot.stack = 33;
  slot.extra = 44;
  ring.commit(0, 11, wire::RecordKind::kAllocate, 55);

  RingBatch batch;
  REQUIRE(reader.read(batch, WrittenRing::kNoEnd, false));
  REQUIRE(batch.records.size() == 1);
  const RawRecord& record = batch.records[0];
  CHECK(record.kind == wire::RecordKind::kAllocate);
  CHECK(record.address == 11);
  CHECK(record.size == 22);
  CHECK(record.stack == 33);
  CHECK(record.extra == 44);
  CHECK(record.time == 55);
  CHECK(record.payload_bytes == 0);
}

TEST_CASE("a reserved slot that is not committed yet is waited for", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  ring.push(1);
  const auto open = ring.reserve();

  CHECK(read_addresses(reader) == Addresses{1});
  CHECK(read_addresses(reader).empty());
  ring.commit(open, 2);
  CHECK(read_addresses(reader) == Addresses{2});
}

TEST_CASE("a pass stops at the first record that is not from before it", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  ring.push(1, 10);
  ring.push(2, 20);
  ring.push(3, 30);

  CHECK(read_addresses(reader, false, 21) == Addresses{1, 2});
  CHECK(read_addresses(reader, false, 30).empty());
  CHECK(read_addresses(reader, false, 31) == Addresses{3});
}

TEST_CASE("a pass tells earlier from later across the wrap of the time's 48 bits", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  ring.push(1, wire::kTimeMask - 5);
  ring.push(2, 5);
  ring.push(3, 50);

  CHECK(read_addresses(reader, false, wire::kTimeMask) == Addresses{1});
  CHECK(read_addresses(reader, false, wire::kTimeMask + 1 + 10) == Addresses{2});
}

TEST_CASE("a hole is stepped over at once and read when it is filled", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  ring.push(1);
  const auto hole = ring.reserve();
  ring.push(3);
  ring.push(4);

  CHECK(read_addresses(reader) == Addresses{1, 3, 4});
  CHECK(read_addresses(reader).empty());
  ring.commit(hole, 2);
  ring.push(5);
  CHECK(read_addresses(reader) == Addresses{2, 5});
}

TEST_CASE("a writer is not told of space behind a hole before the hole is read", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  ring.push(1);
  const auto hole = ring.reserve();
  ring.push(3);

  read_addresses(reader);
  reader.release();
  CHECK(ring.header().read_position.load() == hole);
  ring.commit(hole, 2);
  read_addresses(reader);
  reader.release();
  CHECK(ring.header().read_position.load() == 3);
}

TEST_CASE("a hole that is never filled is given up before it stops its writer", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  const auto hole = ring.reserve();
  std::uint64_t pushed = 0;
  while (ring.header().read_position.load() <= hole) {
    REQUIRE(pushed < wire::kRingSlots);
    ring.push(1000 + pushed);
    CHECK(read_addresses(reader) == Addresses{1000 + pushed});
    reader.release();
    ++pushed;
  }
  // Long before the writer would have to wait for it.
  CHECK(pushed < wire::kRingSlots - 512);
}

TEST_CASE("a dead writer's hole does not hide what lies behind it", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  ring.push(1);
  ring.reserve();
  ring.push(3);
  ring.reserve();

  CHECK(read_addresses(reader, true) == Addresses{1, 3});
  CHECK_FALSE(reader.has_unread());
  reader.release();
  CHECK(read_addresses(reader, true).empty());
}

TEST_CASE("the next owner of a ring is read although its last one died in mid-record", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  const auto died_at = ring.reserve(4);
  ring.commit_payload(died_at, "cut off in the middle of a name", 2);
  CHECK(read_addresses(reader, true).empty());
  reader.release();

  ring.push(7);
  CHECK(read_addresses(reader) == Addresses{7});
}

TEST_CASE("a long record arrives whole, whatever its length", "[ring]") {
  const auto length = GENERATE(0U, 1U, 23U, 24U, 25U, 48U, 1000U, 4096U);
  CAPTURE(length);
  WrittenRing ring;
  RingReader reader = ring.reader();
  std::string text(length, '\0');
  std::iota(text.begin(), text.end(), 'a');
  ring.push_text(9, text);
  ring.push(10);

  RingBatch batch;
  REQUIRE(reader.read(batch, WrittenRing::kNoEnd, false));
  REQUIRE(batch.records.size() == 2);
  CHECK(batch.records[0].address == 9);
  CHECK(text_of(batch, batch.records[0]) == text);
  CHECK(batch.records[1].address == 10);
}

TEST_CASE("a long record half written is waited for", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  const std::string text = "a name that takes three of the payload's slots, or nearly";
  const auto head = ring.reserve(1 + WrittenRing::text_slots(text));
  ring.commit_payload(head, text, 2);
  CHECK(read_addresses(reader).empty());

  ring.commit_payload(head, text, 3);
  ring.slot(head).size = text.size();
  ring.commit(head, 9, wire::RecordKind::kPhaseBegin);
  RingBatch batch;
  REQUIRE(reader.read(batch, WrittenRing::kNoEnd, false));
  REQUIRE(batch.records.size() == 1);
  CHECK(text_of(batch, batch.records[0]) == text);
}

TEST_CASE("a long record that a handler interrupted is one record when it is filled", "[ring]") {
  const auto written_before = GENERATE(0U, 1U, 2U, 3U);
  CAPTURE(written_before);
  WrittenRing ring;
  RingReader reader = ring.reader();
  const std::string text = "a name that takes three of the payload's slots, or nearly";
  const auto head = ring.reserve(1 + WrittenRing::text_slots(text));
  ring.commit_payload(head, text, written_before);
  ring.push(50);
  CHECK(read_addresses(reader) == Addresses{50});

  // The collector looks once more while the interrupted thread is at it again.
  ring.commit_payload(head, text, 3);
  CHECK(read_addresses(reader).empty());
  ring.slot(head).size = text.size();
  ring.commit(head, 9, wire::RecordKind::kPhaseBegin);
  RingBatch batch;
  REQUIRE(reader.read(batch, WrittenRing::kNoEnd, false));
  REQUIRE(batch.records.size() == 1);
  CHECK(batch.records[0].address == 9);
  CHECK(text_of(batch, batch.records[0]) == text);
  reader.release();
  CHECK(ring.header().read_position.load() == head + 5);
}

TEST_CASE("a ring is read over many laps, with records of every length", "[ring]") {
  const auto seed = GENERATE(range(1U, 6U));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  WrittenRing ring;
  RingReader reader = ring.reader();
  std::vector<std::pair<std::uint64_t, std::string>> written;
  std::uint64_t next = 1;
  RingBatch batch;
  // Past lap 255, where lap numbers begin again.
  const std::uint64_t end = wire::kRingSlots * 260;
  while (ring.header().reserved < end) {
    while (true) {
      const std::string text(random() % 8 == 0 ? random() % 2000 : 0,
                             static_cast<char>('a' + next % 26));
      if (ring.header().reserved + 1 + WrittenRing::text_slots(text) >
          ring.header().read_position.load() + wire::kRingSlots)
        break;
      ring.push_text(next, text);
      written.emplace_back(next++, text);
    }
    batch.clear();
    read_all(reader, batch);
    reader.release();
    REQUIRE(batch.records.size() == written.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (batch.records[i].address != written[i].first ||
          text_of(batch, batch.records[i]) != written[i].second)
        FAIL("record " << written[i].first << " is not what was written");
    }
    written.clear();
  }
  CHECK(next > 100'000);
}

TEST_CASE("a full ring comes in batches, in order and without a gap", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  for (std::uint64_t i = 0; i < wire::kRingSlots; ++i)
    ring.push(1000 + i);

  Addresses all;
  bool is_all = false;
  while (!is_all) {
    RingBatch batch;
    is_all = reader.read(batch, WrittenRing::kNoEnd, false);
    REQUIRE(batch.records.size() <= RingReader::kBatchRecords);
    for (const RawRecord& record : batch.records)
      all.push_back(record.address);
    REQUIRE(all.size() <= wire::kRingSlots);
  }
  CHECK(all == numbers(1000, wire::kRingSlots));
}

TEST_CASE("a writer has the room that was read and released", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  for (std::uint64_t i = 0; i < wire::kRingSlots; ++i)
    ring.push(1000 + i);
  CHECK(reader.space() == 0);

  RingBatch batch;
  reader.read(batch, WrittenRing::kNoEnd, false);
  CHECK(reader.space() == 0);
  reader.release();
  CHECK(reader.space() == RingReader::kBatchRecords);
  CHECK(ring.header().read_position.load() == RingReader::kBatchRecords);
}

TEST_CASE("room behind a hole is none", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  ring.reserve();
  for (const std::uint64_t address : numbers(1, 3000))
    ring.push(address);
  CHECK(read_addresses(reader).size() == 3000);
  reader.release();
  CHECK(reader.space() == wire::kRingSlots - 3001);
}

TEST_CASE("a writer that waits is woken once", "[ring]") {
  WrittenRing ring;
  RingReader reader = ring.reader();
  reader.wake_writer();
  CHECK(ring.header().space_sequence.load() == 0);

  ring.header().writer_waits.store(1);
  reader.wake_writer();
  CHECK(ring.header().writer_waits.load() == 0);
  CHECK(ring.header().space_sequence.load() == 1);
  reader.wake_writer();
  CHECK(ring.header().space_sequence.load() == 1);
}

TEST_CASE("a writer on the collector's core is left to wait while others go on", "[ring]") {
  constexpr std::uint32_t kCpu = 3;
  WrittenRing ring;
  RingReader reader = ring.reader();
  ring.header().writer_waits.store(1 + kCpu);
  reader.wake_writer_unless_on(kCpu);
  CHECK(ring.header().writer_waits.load() == 1 + kCpu);
  CHECK(ring.header().space_sequence.load() == 0);

  const auto other = GENERATE_COPY(kCpu - 1, kCpu + 1);
  reader.wake_writer_unless_on(other);
  CHECK(ring.header().writer_waits.load() == 0);
  CHECK(ring.header().space_sequence.load() == 1);
}

TEST_CASE("a header that lies costs no more than a ring's length of work", "[ring][robustness]") {
  const auto said =
      GENERATE(std::uint64_t{0}, std::uint64_t{1}, wire::kRingSlots, wire::kRingSlots * 1000,
               ~std::uint64_t{0}, ~std::uint64_t{0} - wire::kRingSlots, std::uint64_t{1} << 63);
  const auto [lies_reserved, lies_read] =
      GENERATE(table<bool, bool>({{true, false}, {false, true}, {true, true}}));
  CAPTURE(said, lies_reserved, lies_read);
  WrittenRing ring;
  RingReader reader = ring.reader();
  ring.push(1);
  ring.push(2);
  if (lies_reserved)
    ring.header().reserved = said;
  if (lies_read)
    ring.header().read_position.store(said + 7);

  CHECK(read_addresses(reader) == Addresses{1, 2});
  CHECK(reader.reserved() - reader.position() <= wire::kRingSlots);
  CHECK(read_addresses(reader, true).empty());
  reader.release();
  CHECK(ring.header().read_position.load() == 2);
}

TEST_CASE("what a host wrote over the read position is not where a reader starts",
          "[ring][robustness]") {
  WrittenRing ring;
  ring.push(1);
  ring.header().read_position.store(~std::uint64_t{0} - 3);
  RingReader reader = ring.reader();
  CHECK(reader.reserved() - reader.position() <= wire::kRingSlots);
  CHECK(read_addresses(reader) == Addresses{1});
}

TEST_CASE("garbage in every byte of a ring is survived with bounded work", "[ring][robustness]") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  WrittenRing ring;
  RingReader reader = ring.reader();
  for (int round = 0; round < 20; ++round) {
    auto* words = reinterpret_cast<std::uint64_t*>(ring.map().slots(0));
    const bool plausible = random() % 2 == 0;
    for (std::uint64_t i = 0; i < wire::kRingBytes / 8; ++i) {
      words[i] = random();
      // Laps and kinds that look right lead further into the reader.
      if (plausible && i % 4 == 0)
        words[i] = wire::make_head(static_cast<std::uint8_t>(1 + random() % 3),
                                   static_cast<wire::RecordKind>(random() % 40), random() % 4);
    }
    for (std::uint64_t i = 0; i < sizeof(wire::RingHeader) / 8; ++i)
      reinterpret_cast<std::uint64_t*>(&ring.header())[i] = random();
    ring.header().reserved = random() >> (random() % 64);

    RingBatch batch;
    reader.read(batch, random() & wire::kTimeMask, random() % 2 == 0);
    // What lies in the ring, and the holes seen before.
    REQUIRE(batch.records.size() <= RingReader::kBatchRecords + 512);
    for (const RawRecord& record : batch.records) {
      REQUIRE(record.payload_at <= batch.payload.size());
      REQUIRE(record.payload_bytes <= batch.payload.size() - record.payload_at);
    }
    reader.release();
  }
}
