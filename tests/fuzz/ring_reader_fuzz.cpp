// A hostile host: arbitrary words anywhere in a ring and its header, between arbitrary passes of
// the reader. Whatever they are, a pass ends, takes no more than a ring holds, and hands out
// payloads that lie in its batch.
//
// Input: operations, each a byte and its operands (missing bytes are zeros).
//   0  slot16 32 bytes      raw bytes into a slot
//   1  slot16 kind time     a committed slot as an honest writer would leave it
//   2  word64               the header's `reserved`
//   3  word64               the header's `read_position`
//   4  until48 final        a pass
//   5                       a release
#include "collector/session/ring_reader.hpp"
#include "tests/support/session_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

namespace {

using namespace tidemark;

void require(bool holds) {
  if (!holds)
    std::abort();
}

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : left_(bytes) {}
  [[nodiscard]] bool is_empty() const { return left_.empty(); }
  std::uint64_t take(std::size_t bytes) {
    std::uint64_t value = 0;
    copy(&value, bytes);
    return value;
  }
  void copy(void* out, std::size_t bytes) {
    const std::size_t some = std::min(bytes, left_.size());
    std::memcpy(out, left_.data(), some);
    left_ = left_.subspan(some);
  }

 private:
  std::span<const std::uint8_t> left_;
};

wire::Slot& slot_at(const wire::SessionMap& map, std::uint64_t position) {
  return map.slots(0)[position % wire::kRingSlots];
}

void commit(const wire::SessionMap& map,
            std::uint64_t position,
            std::uint64_t kind,
            std::uint64_t time) {
  slot_at(map, position)
      .head.store(
          wire::make_head(wire::lap_of(position), static_cast<wire::RecordKind>(kind), time));
}

void pass(RingReader& reader, std::uint64_t until, bool final) {
  RingBatch batch;
  reader.read(batch, until, final);
  require(batch.records.size() <= RingReader::kBatchRecords + wire::kRingSlots);
  for (const RawRecord& record : batch.records) {
    require(record.kind != wire::RecordKind::kPayload);
    require(record.payload_at <= batch.payload.size());
    require(record.payload_bytes <= batch.payload.size() - record.payload_at);
  }
  require(reader.reserved() - reader.position() <= wire::kRingSlots);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static tests::SessionMemory memory;
  memory.clear();
  const wire::SessionMap& map = memory.map();
  Input input({data, size});
  RingReader reader(map, 0);
  // A pass over a ring full of nothing looks at all of it: bound their number, not the bytes.
  for (int passes = 0; !input.is_empty() && passes < 64;) {
    const std::uint64_t operation = input.take(1) % 6;
    if (operation == 0) {
      const std::uint64_t position = input.take(2);
      input.copy(&slot_at(map, position), sizeof(wire::Slot));
    } else if (operation == 1) {
      const std::uint64_t position = input.take(2);
      const std::uint64_t kind = input.take(1);
      commit(map, position, kind, input.take(1));
    } else if (operation == 2) {
      map.ring(0).reserved = input.take(8);
    } else if (operation == 3) {
      map.ring(0).read_position.store(input.take(8));
    } else if (operation == 4) {
      const std::uint64_t until = input.take(6);
      pass(reader, until, input.take(1) != 0);
      ++passes;
    } else {
      reader.release();
    }
  }
  pass(reader, wire::kTimeMask, true);
  return 0;
}
