/// Who wrote the current record, and what follows it.
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

/// The thread of one ring. Null host: no known writer. Its size is a power of two, since every
/// record looks one up by index.
struct alignas(128) Source {
  Host* host = nullptr;
  trace::ThreadId thread{0};
  /// A block whose free is the next record of this ring: it skips the table.
  std::uint64_t fleeting_address = 0;
  LiveBlock fleeting = {};
  bool has_ended = false;  ///< The thread.
  std::uint32_t tid = 0;
  /// Bytes of device memory that this thread is asking a driver for right now. 0: none.
  std::uint64_t device_request = 0;
  bool device_from_host = false;  ///< The driver took them from host memory,
  PageRange device_backing{};     ///< at this place, if it is private memory.

  /// A realloc of this thread between its two records: the old address, and the block taken from
  /// the table. A large block is in `pending` instead, where searches for large blocks find it.
  std::uint64_t realloc_address = 0;
  std::optional<LiveBlock> reallocated = std::nullopt;
  bool has_pending = false;  ///< `pending` was asked for.

  /// The call of this thread that is between its two records.
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

  /// A driver without memory of its own, or one that mirrors it, allocates from the host on the
  /// requesting thread: the first allocation large enough is the backing. Smaller ones are its
  /// bookkeeping and stay in the heap lane. For requests below a page the two cannot be
  /// distinguished, and both are counted.
  /// @param address address of that memory; 0: in no mapping that a look finds.
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

/// Payload of a record, and the records after it. Borrowed for the call.
struct Behind {
  std::span<const std::byte> payload;
  std::span<const RawRecord> following;  ///< Next records of the same ring, as far as already read.
};

}  // namespace tidemark
