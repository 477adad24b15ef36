#include "preload/wire/session.hpp"
#include "tests/support/catch.hpp"

#include <cstring>
#include <set>

using namespace tidemark::wire;

TEST_CASE("a lap number is never 0 and differs from that of its neighbours", "[wire]") {
  for (std::uint64_t lap = 0; lap < 600; ++lap) {
    const std::uint64_t first = lap * kRingSlots;
    REQUIRE(lap_of(first) != 0);
    REQUIRE(lap_of(first) == lap_of(first + kRingSlots - 1));
    REQUIRE(lap_of(first) != lap_of(first + kRingSlots));
  }
  CHECK(lap_of(0) == 1);
}

TEST_CASE("a head gives back its lap, its kind and the low bits of its time", "[wire]") {
  const auto lap = GENERATE(as<std::uint8_t>(), 1, 2, 255);
  const auto kind = GENERATE(RecordKind::kPayload, RecordKind::kFree, RecordKind::kLost);
  const auto ticks =
      GENERATE(std::uint64_t{0}, std::uint64_t{1}, kTimeMask, kTimeMask + 1, ~std::uint64_t{0});
  const std::uint64_t head = make_head(lap, kind, ticks);
  CHECK(lap_of_head(head) == lap);
  CHECK(kind_of_head(head) == kind);
  CHECK(time_of_head(head) == (ticks & kTimeMask));
}

TEST_CASE("memory that was never written is no record", "[wire]") {
  Slot slot{};
  CHECK(lap_of_head(slot.head.load()) == 0);
  CHECK(kind_of_head(slot.head.load()) == RecordKind::kNone);
}

TEST_CASE("every kind of record fits its byte", "[wire]") {
  CHECK(static_cast<unsigned>(RecordKind::kCount) < 256);
}

TEST_CASE("the 24 bytes of a payload lie together in their slot", "[wire]") {
  CHECK(offsetof(Slot, address) + kPayloadBytes == sizeof(Slot));
}

TEST_CASE("the parts of a session follow each other on pages of their own", "[wire]") {
  CHECK(kProcessSlotsOffset >= sizeof(ControlBlock));
  CHECK(kRingHeadersOffset >= kProcessSlotsOffset + kMaxProcesses * sizeof(ProcessSlot));
  CHECK(kControlBytes >= kRingHeadersOffset + kMaxRings * sizeof(RingHeader));
  for (const std::uint64_t offset :
       {kProcessSlotsOffset, kRingHeadersOffset, kControlBytes, stack_table_offset(1),
        ring_offset(0), ring_offset(kRingsPerBlock), session_bytes(1)})
    CHECK(offset % kPageBytes == 0);
}

TEST_CASE("the last of everything ends where the next part begins", "[wire]") {
  const SessionMap map{reinterpret_cast<std::byte*>(0x100000000000)};
  const auto at = [&](const void* place) {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(place) - map.base);
  };
  CHECK(at(&map.process(kMaxProcesses - 1)) + sizeof(ProcessSlot) <= kRingHeadersOffset);
  CHECK(at(&map.ring(kMaxRings - 1)) + sizeof(RingHeader) <= kControlBytes);
  CHECK(stack_table_offset(0) == kControlBytes);
  for (const std::uint32_t block : {0U, 1U, kMaxProcesses - 1}) {
    CAPTURE(block);
    const std::uint32_t first = block * kRingsPerBlock;
    CHECK(stack_table_offset(block) + kStackTableBytes == ring_offset(first));
    CHECK(ring_offset(first + kRingsPerBlock - 1) + kRingBytes == session_bytes(block + 1));
  }
}

TEST_CASE("the parts of a stack table fill it", "[wire]") {
  CHECK(index_offset(0) == kStackHeaderBytes);
  CHECK(index_offset(1) == index_offset(0) + index_slots(0) * sizeof(std::uint32_t));
  CHECK(kStackNodesOffset == index_offset(1) + index_slots(1) * sizeof(std::uint32_t));
  CHECK(index_offset(2) == kStackNodesOffset + kStackNodesBytes);
  CHECK(index_offset(3) + index_slots(3) * sizeof(std::uint32_t) == kStackTableBytes);
}

TEST_CASE("a program with one thread maps less than 16 MiB", "[wire]") {
  CHECK(kFirstHostBytes < std::uint64_t{8} << 20);
}

TEST_CASE("a limit for file sizes of 61 MiB leaves room for a session", "[wire]") {
  CHECK(session_bytes(1) <= std::uint64_t{61} << 20);
}

TEST_CASE("the last level of a stack index holds every node at half its size", "[wire]") {
  CHECK(index_slots(kIndexLevels - 1) / 2 >= kMaxStackNodes);
}
