/// The kind of memory of an allocation in the device lane: its event's `extra`.
///
///     heap : 8 | type : 8 | properties : 12 (VkMemoryPropertyFlags) | dedicated, imported,
///     of_host, from_host
#pragma once

#include "collector/trace/types/event.hpp"

#include <cstdint>

namespace tidemark::trace {

struct DevicePlace {
  std::uint32_t heap = 0;
  std::uint32_t type = 0;        ///< Memory type of that heap.
  std::uint32_t properties = 0;  ///< VkMemoryPropertyFlags.
  bool dedicated = false;        ///< For one buffer or image alone.
  bool imported = false;         ///< Made elsewhere: another process, another API, the host.
  bool of_host = false;          ///< Host memory, counted in its own lane.
  bool from_host = false;        ///< The driver took the host's private memory for it, which no
                                 ///< other lane counts.

  bool operator==(const DevicePlace&) const = default;
};

/// Keeps the low bits of each number that fit.
constexpr std::uint64_t extra_of(const DevicePlace& place) {
  return (place.heap & 0xffU) | (place.type & 0xffU) << 8U | (place.properties & 0xfffU) << 16U |
         (place.dedicated ? 1U << 28U : 0U) | (place.imported ? 1U << 29U : 0U) |
         (place.of_host ? 1U << 30U : 0U) | (place.from_host ? 1U << 31U : 0U);
}

/// @param event a kAllocate in lane device.
constexpr DevicePlace device_place(const Event& event) {
  const auto extra = static_cast<std::uint32_t>(event.extra);
  return {.heap = extra & 0xffU,
          .type = extra >> 8U & 0xffU,
          .properties = extra >> 16U & 0xfffU,
          .dedicated = (extra >> 28U & 1U) != 0,
          .imported = (extra >> 29U & 1U) != 0,
          .of_host = (extra >> 30U & 1U) != 0,
          .from_host = (extra >> 31U & 1U) != 0};
}

}  // namespace tidemark::trace
