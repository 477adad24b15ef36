// The assembler's share of device memory.

#include "collector/drain/assembler.hpp"
#include "collector/trace/types/device_place.hpp"

#include <algorithm>

namespace tidemark {

using trace::Event;
using trace::EventKind;
using trace::Lane;
using wire::RecordKind;

/// A driver that has no memory of its own, or mirrors it, takes it from the host, by the thread
/// that asked: the first piece that is large enough. What is smaller is its bookkeeping and stays
/// in the heap lane; of requests below a page the two cannot be told apart, and both are counted.
bool Assembler::backs_device(Source& source, std::uint64_t size) {
  if (source.device_request < wire::kPageBytes || size < source.device_request)
    return false;
  source.device_request = 0;
  return true;
}

void Assembler::add_device(Source& source, const RawRecord& record) {
  switch (record.kind) {
    case RecordKind::kDeviceBegin:
      source.device_request = record.size;
      break;
    case RecordKind::kDeviceAllocate:
      source.device_request = 0;
      allocate_device(source, record);
      break;
    case RecordKind::kDeviceFailed: {
      source.device_request = 0;
      Event event;
      event.kind = EventKind::kFail;
      event.lane = Lane::kDevice;
      event.size = record.size;
      event.stack = source.host->stacks.stack(record.stack);
      emit(source, event);
      break;
    }
    case RecordKind::kDeviceFree:
      free_device(source, record.address);
      break;
    case RecordKind::kDeviceMap:
      map_device(source, record);
      break;
    default:
      if (const auto memory = source.host->device.find(record.address);
          memory != source.host->device.end())
        unmap_device(*source.host, memory->second);
      break;
  }
}

void Assembler::allocate_device(Source& source, const RawRecord& record) {
  free_device(source, record.address);  // its end passed us by: the device was destroyed, or a drop
  const std::uint32_t flags = wire::flags_of_device_place(record.extra);
  const trace::DevicePlace place{.heap = wire::heap_of_device_place(record.extra),
                                 .type = wire::type_of_device_place(record.extra),
                                 .properties = wire::properties_of_device_place(record.extra),
                                 .dedicated = (flags & wire::kDeviceDedicated) != 0,
                                 .imported = (flags & wire::kDeviceImported) != 0,
                                 .of_host = (flags & wire::kDeviceHostPointer) != 0};
  const std::uint64_t bytes = place.of_host ? 0 : record.size;
  const std::uint64_t number =
      emit_allocation(source, Lane::kDevice, bytes, record.stack, trace::extra_of(place));
  source.host->device[record.address] = {.block = {number, bytes}};
}

void Assembler::free_device(Source& source, std::uint64_t handle) {
  Host& host = *source.host;
  const auto memory = host.device.find(handle);
  if (memory == host.device.end())
    return;
  unmap_device(host, memory->second);
  Event event;
  event.kind = EventKind::kRelease;
  event.lane = Lane::kDevice;
  event.allocation = memory->second.block.allocation;
  event.size = memory->second.block.size;
  host.totals[Lane::kDevice] -= event.size;
  host.device.erase(memory);
  emit(source, event);
}

/// From now on a copy to that address is a copy into device memory.
void Assembler::map_device(Source& source, const RawRecord& record) {
  const std::uint64_t handle = std::uint64_t{record.extra} << 32 | record.stack;
  Host& host = *source.host;
  const auto memory = host.device.find(handle);
  if (memory == host.device.end() || record.address == 0)
    return;
  unmap_device(host, memory->second);
  const LiveBlock& block = memory->second.block;
  if (block.size == 0)
    return;  // memory of the host, which has a place of its own
  // Larger than any memory: VK_WHOLE_SIZE less the offset where the mapping begins.
  const std::uint64_t offset = record.size > block.size ? ~std::uint64_t{0} - record.size : 0;
  const std::uint64_t rest = block.size - std::min(offset, block.size);
  memory->second.mapped_at = record.address;
  host.large.insert(record.address, std::min(record.size, rest), block.allocation);
}

void Assembler::unmap_device(Host& host, DeviceBlock& memory) {
  if (memory.mapped_at != 0)
    host.large.erase(memory.mapped_at, memory.block.allocation);
  memory.mapped_at = 0;
}

}  // namespace tidemark
