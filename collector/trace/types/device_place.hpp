/// Which memory an allocation of the device lane is: its event's `extra`, read.
#pragma once

#include "collector/trace/types/event.hpp"
#include "preload/wire/record.hpp"

#include <cstdint>

namespace tidemark::trace {

struct DevicePlace {
  std::uint32_t heap = 0;
  std::uint32_t type = 0;        ///< Memory type of that heap.
  std::uint32_t properties = 0;  ///< VkMemoryPropertyFlags.
  bool dedicated = false;        ///< For one buffer or image alone.
  bool imported = false;         ///< Made elsewhere: another process, another API, the host.
};

/// Of a kAllocate in lane device.
constexpr DevicePlace device_place(const Event& event) {
  const auto place = static_cast<std::uint32_t>(event.extra);
  const std::uint32_t flags = wire::flags_of_device_place(place);
  return {.heap = wire::heap_of_device_place(place),
          .type = wire::type_of_device_place(place),
          .properties = wire::properties_of_device_place(place),
          .dedicated = (flags & wire::kDeviceDedicated) != 0,
          .imported = (flags & wire::kDeviceImported) != 0};
}

}  // namespace tidemark::trace
