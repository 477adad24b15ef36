#include "preload/wire/kinds.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>
#include <set>

using namespace tidemark::wire;

namespace {

constexpr Words kWords{
    .address = 0x1122334455667788, .size = 0x99, .stack = 0xaabb, .extra = 0xccdd};

/// Each word that a kind uses comes back as it was; the others are zero.
bool keeps_its_words(const Words& told) {
  return (told.address == kWords.address || told.address == 0) &&
         (told.size == kWords.size || told.size == 0) &&
         (told.stack == kWords.stack || told.stack == 0) &&
         (told.extra == kWords.extra || told.extra == 0);
}

}  // namespace

TEST_CASE("each kind is visited as its own type, and its words come back", "[wire]") {
  std::set<RecordKind> visited;
  for (unsigned kind = 0; kind < 256; ++kind) {
    const auto wanted = static_cast<RecordKind>(kind);
    const bool is_known = visit_record(wanted, kWords, [&](const auto& said) {
      CHECK(said.kKind == wanted);
      CHECK(keeps_its_words(said.encode()));
      visited.insert(said.kKind);
    });
    CHECK(is_known == (wanted > RecordKind::kPayload && wanted < RecordKind::kCount));
  }
  CHECK(visited.size() == AllKinds::kSize);
}

TEST_CASE("a read's size and what was resident share a word", "[wire]") {
  const Read read{.destination = 1, .bytes = 5'000'000'000, .resident_share = kMaxResidentShare};
  const Read back = Read::decode(read.encode());
  CHECK(back.bytes == read.bytes);
  CHECK(back.resident_share == kMaxResidentShare);
}

TEST_CASE("a thread's slot and generation share a word", "[wire]") {
  const ThreadBegin begin{.slot = 7, .generation = 0x80000001, .tid = 3, .text_bytes = 4};
  const ThreadBegin back = ThreadBegin::decode(begin.encode());
  CHECK(back.slot == begin.slot);
  CHECK(back.generation == begin.generation);
}

TEST_CASE("a mapped handle comes back whole", "[wire]") {
  const DeviceMap map{.handle = 0x1122334455667788, .address = 9, .bytes = 10};
  CHECK(DeviceMap::decode(map.encode()).handle == map.handle);
}

TEST_CASE("kinds that this version does not know have no payload", "[wire]") {
  CHECK(payload_of(RecordKind::kNone) == Payload::kNone);
  CHECK(payload_of(RecordKind::kPayload) == Payload::kNone);
  CHECK(payload_of(RecordKind::kCount) == Payload::kNone);
  CHECK(payload_of(static_cast<RecordKind>(255)) == Payload::kNone);
  CHECK(payload_of(RecordKind::kOpen) == Payload::kFile);
  CHECK(payload_of(RecordKind::kModule) == Payload::kPath);
}
