/// A ring whose slots the test writes itself, as a host would, or as no host should.
#pragma once

#include "collector/session/ring_reader.hpp"
#include "tests/support/session_memory.hpp"

#include <cstring>
#include <string_view>
#include <vector>

namespace tidemark::tests {

/// Ring 0 of a session of its own. A record is told from others by its address.
class WrittenRing {
 public:
  static constexpr std::uint64_t kNoEnd = wire::kTimeMask / 2 - 1;  ///< Takes every time used here.

  [[nodiscard]] const wire::SessionMap& map() const { return memory_.map(); }
  [[nodiscard]] wire::RingHeader& header() const { return map().ring(0); }
  [[nodiscard]] wire::Slot& slot(std::uint64_t position) const {
    return map().slots(0)[position % wire::kRingSlots];
  }
  [[nodiscard]] RingReader reader() const { return {map(), 0}; }

  std::uint64_t reserve(std::uint64_t slots = 1) {
    const std::uint64_t position = header().reserved;
    header().reserved += slots;
    return position;
  }
  void commit(std::uint64_t position,
              std::uint64_t address,
              wire::RecordKind kind = wire::RecordKind::kFree,
              std::uint64_t time = 1) {
    slot(position).address = address;
    commit_head(position, kind, time);
  }
  void push(std::uint64_t address, std::uint64_t time = 1) {
    commit(reserve(), address, wire::RecordKind::kFree, time);
  }

  static std::uint64_t text_slots(std::string_view text) {
    return (text.size() + wire::kPayloadBytes - 1) / wire::kPayloadBytes;
  }
  /// Payload slots first, in order; the head is the caller's.
  void commit_payload(std::uint64_t head, std::string_view text, std::uint64_t parts) {
    for (std::uint64_t i = 0; i < parts; ++i) {
      char bytes[wire::kPayloadBytes] = {};
      const auto part = text.substr(i * wire::kPayloadBytes, wire::kPayloadBytes);
      std::memcpy(bytes, part.data(), part.size());
      std::memcpy(&slot(head + 1 + i).address, bytes, sizeof bytes);
      commit_head(head + 1 + i, wire::RecordKind::kPayload, 1);
    }
  }
  void push_text(std::uint64_t address, std::string_view text) {
    const std::uint64_t head = reserve(1 + text_slots(text));
    commit_payload(head, text, text_slots(text));
    slot(head).size = text.size();
    commit(head, address, wire::RecordKind::kPhaseBegin);
  }

 private:
  void commit_head(std::uint64_t position, wire::RecordKind kind, std::uint64_t time) {
    slot(position).head.store(wire::make_head(wire::lap_of(position), kind, time),
                              std::memory_order_release);
  }

  SessionMemory memory_;
};

/// One pass of a reader, and what it got.
/// Everything that can be read now.
inline void read_all(RingReader& reader,
                     RingBatch& batch,
                     bool final = false,
                     std::uint64_t until = WrittenRing::kNoEnd) {
  while (!reader.read(batch, until, final)) {
  }
}

inline std::vector<std::uint64_t> read_addresses(RingReader& reader,
                                                 bool final = false,
                                                 std::uint64_t until = WrittenRing::kNoEnd) {
  RingBatch batch;
  read_all(reader, batch, final, until);
  std::vector<std::uint64_t> addresses;
  for (const RawRecord& record : batch.records)
    addresses.push_back(record.address);
  return addresses;
}

}  // namespace tidemark::tests
