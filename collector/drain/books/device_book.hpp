/// The device lane: memory allocated by a GPU driver, by handle.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>

namespace tidemark {

class DeviceBook {
 public:
  /// `sink` stays borrowed.
  explicit DeviceBook(EventSink& sink) : sink_(sink) {}

  void see(Source& source, const wire::DeviceBegin& begin, const Behind& behind);
  void see(Source& source, const wire::DeviceAllocate& allocation, const Behind& behind);
  void see(Source& source, const wire::DeviceFailed& failure, const Behind& behind);
  void see(Source& source, const wire::DeviceFree& release, const Behind& behind);
  void see(Source& source, const wire::DeviceMap& mapping, const Behind& behind);
  void see(Source& source, const wire::DeviceUnmap& unmapping, const Behind& behind);

 private:
  void release(const Source& source, std::uint64_t handle);
  static void unmap(Host& host, DeviceBlock& memory);

  EventSink& sink_;
};

}  // namespace tidemark
