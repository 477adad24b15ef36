#include "collector/drain/books/device_book.hpp"

#include "collector/trace/types/device_place.hpp"

#include <algorithm>
#include <utility>

namespace tidemark {

using trace::Event;
using trace::EventKind;
using trace::Lane;

void DeviceBook::see(Source& source, const wire::DeviceBegin& begin, const Behind&) {
  source.device_request = begin.bytes;
  source.device_from_host = false;
  source.device_backing = {};
}

void DeviceBook::see(Source& source, const wire::DeviceAllocate& allocation, const Behind&) {
  source.device_request = 0;
  release(source, allocation.handle);  // its end passed us by: the device was destroyed, or a drop
  const std::uint32_t flags = wire::flags_of_device_place(allocation.place);
  const trace::DevicePlace place{.heap = wire::heap_of_device_place(allocation.place),
                                 .type = wire::type_of_device_place(allocation.place),
                                 .properties = wire::properties_of_device_place(allocation.place),
                                 .dedicated = (flags & wire::kDeviceDedicated) != 0,
                                 .imported = (flags & wire::kDeviceImported) != 0,
                                 .of_host = (flags & wire::kDeviceHostPointer) != 0,
                                 .from_host = std::exchange(source.device_from_host, false)};
  const std::uint64_t bytes = place.of_host ? 0 : allocation.bytes;
  const std::uint64_t number =
      sink_.emit_allocation(source, Lane::kDevice, bytes, allocation.stack, trace::extra_of(place));
  DeviceBlock& memory = source.host->tables.device[allocation.handle];
  memory = {.block = {number, bytes}, .backing = std::exchange(source.device_backing, {})};
  // Accesses to that memory are accesses to this block. It may be aligned within a larger piece.
  if (LargeBlocks::is_large(memory.backing.bytes()) && bytes != 0)
    source.host->tables.large.insert(memory.backing.begin, memory.backing.bytes(), number);
}

void DeviceBook::see(Source& source, const wire::DeviceFailed& failure, const Behind&) {
  source.device_request = 0;
  sink_.emit_failure(source, Lane::kDevice, failure.bytes, failure.stack);
}

void DeviceBook::see(Source& source, const wire::DeviceFree& freed, const Behind&) {
  release(source, freed.handle);
}

void DeviceBook::release(const Source& source, std::uint64_t handle) {
  Host& host = *source.host;
  const auto memory = host.tables.device.find(handle);
  if (memory == host.tables.device.end())
    return;
  unmap(host, memory->second);
  host.tables.large.erase(memory->second.backing.begin, memory->second.block.allocation);
  Event event;
  event.kind = EventKind::kRelease;
  event.lane = Lane::kDevice;
  event.allocation = memory->second.block.allocation;
  event.size = memory->second.block.size;
  sink_.keep_peak(host, event.size);
  host.shrink(Lane::kDevice, event.size);
  host.tables.device.erase(memory);
  sink_.emit(source, event);
}

/// From now on a copy to that address is a copy into device memory.
void DeviceBook::see(Source& source, const wire::DeviceMap& mapping, const Behind&) {
  Host& host = *source.host;
  const auto memory = host.tables.device.find(mapping.handle);
  if (memory == host.tables.device.end() || mapping.address == 0)
    return;
  unmap(host, memory->second);
  const LiveBlock& block = memory->second.block;
  if (block.size == 0)
    return;  // host memory, which is a block of its own
  // A size larger than any memory is VK_WHOLE_SIZE minus the offset of the mapping.
  const std::uint64_t offset = mapping.bytes > block.size ? ~std::uint64_t{0} - mapping.bytes : 0;
  const std::uint64_t rest = block.size - std::min(offset, block.size);
  memory->second.mapped_at = mapping.address;
  if (memory->second.is_mapped_in_backing())
    return;
  host.tables.large.insert(mapping.address, std::min(mapping.bytes, rest), block.allocation, true);
}

void DeviceBook::see(Source& source, const wire::DeviceUnmap& unmapping, const Behind&) {
  Host& host = *source.host;
  if (const auto memory = host.tables.device.find(unmapping.handle);
      memory != host.tables.device.end())
    unmap(host, memory->second);
}

void DeviceBook::unmap(Host& host, DeviceBlock& memory) {
  if (memory.mapped_at != 0 && !memory.is_mapped_in_backing())
    host.tables.large.erase(memory.mapped_at, memory.block.allocation);
  memory.mapped_at = 0;
}

}  // namespace tidemark
