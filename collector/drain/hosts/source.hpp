/// Who wrote the record at hand, and what stands behind it.
#pragma once

#include "collector/drain/hosts/host.hpp"
#include "collector/drain/tables/address_table.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/session/ring_reader.hpp"
#include "collector/trace/types/event.hpp"
#include "preload/wire/session.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace tidemark {

/// One ring's thread. Without a host: nobody writes there, as far as is known. Its size is a power
/// of two, as each record asks for one by number.
struct alignas(128) Source {
  Host* host = nullptr;
  trace::ThreadId thread{0};
  /// A block whose free is the very next record of this ring: not worth a place in the table.
  std::uint64_t fleeting_address = 0;
  LiveBlock fleeting = {};
  bool has_ended = false;  ///< The thread.
  /// Bytes of device memory that this thread is asking a driver for right now. 0: none.
  std::uint64_t device_request = 0;
  bool device_from_host = false;  ///< The driver has taken them from the host's memory,
  PageRange device_backing{};     ///< there, as far as that is private memory.

  /// A realloc of this thread between its two records: where the block was, and what was taken from
  /// the table. A large one is in `pending`, as whoever looks for large blocks needs it.
  std::uint64_t realloc_address = 0;
  std::optional<LiveBlock> reallocated = std::nullopt;
  bool has_pending = false;  ///< `pending` was asked for.

  /// A call of this thread between its two records.
  [[nodiscard]] PendingCall& pending() {
    has_pending = true;
    return host->tables.pending[trace::index(thread)];
  }
  /// The block of a realloc whose second record comes now, or will not come.
  std::optional<LiveBlock> take_reallocated() {
    if (reallocated)
      return std::exchange(reallocated, std::nullopt);
    return has_pending ? std::exchange(pending().block, std::nullopt) : std::nullopt;
  }

  /// A driver that has no memory of its own, or mirrors it, takes it from the host, by the thread
  /// that asked: the first piece that is large enough. What is smaller is its bookkeeping and stays
  /// in the heap lane; of requests below a page the two cannot be told apart, and both are counted.
  /// @param address where that memory is; 0: nowhere that a look finds it.
  bool backs_device(std::uint64_t address, std::uint64_t size) {
    if (device_request < wire::kPageBytes || size < device_request)
      return false;
    device_backing = {address, address == 0 ? 0 : address + size};
    device_request = 0;
    device_from_host = true;
    return true;
  }
};

static_assert(std::has_single_bit(sizeof(Source)));

/// What came with a record. Borrowed for the call.
struct Behind {
  std::span<const std::byte> payload;
  std::span<const RawRecord> following;  ///< Of the same ring, as far as they are known.
};

}  // namespace tidemark
