/// Device memory by heap and type.
#pragma once

#include "analyzer/query/lifetimes.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/device_place.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// One memory type of a device, as Vulkan counts them. Types of two devices with the same number
/// are combined.
struct DeviceUse {
  std::uint32_t heap = 0;
  std::uint32_t type = 0;
  std::uint32_t properties = 0;   ///< VkMemoryPropertyFlags.
  std::uint64_t allocations = 0;  ///< In all; of these:
  std::uint64_t dedicated = 0;    ///< for one buffer or image alone,
  std::uint64_t imported = 0;     ///< made elsewhere.
  std::uint64_t highest_bytes = 0;
  bool is_private = false;  ///< The driver took some of it from the host's memory.
};

/// "device local, host visible, ..."; "no properties" for none.
std::string device_properties_text(std::uint32_t properties);

/// Adds up the device lane over the events of a trace, seen in order.
class DeviceUseCollector {
 public:
  /// `definitions` stays borrowed.
  explicit DeviceUseCollector(const trace::Definitions& definitions) : definitions_(definitions) {}

  void see(const trace::Event& event) {
    if (event.lane == trace::Lane::kDevice) {
      follow(event, *this);
    }
  }
  /// Most bytes first.
  [[nodiscard]] std::vector<DeviceUse> take();

  // See `follow`.
  void begin(const trace::Event& event);
  void end(trace::AllocationNumber allocation, const trace::Event& event);
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event);
  void end_all(const trace::Event& event);

 private:
  struct Live {
    std::size_t use = 0;  ///< Index into `uses_`.
    std::uint64_t bytes = 0;
    trace::ProcessId process{0};
  };
  std::size_t use_of(const trace::DevicePlace& place);

  const trace::Definitions& definitions_;
  std::vector<DeviceUse> uses_;
  std::vector<std::uint64_t> bytes_;              ///< The current bytes of each of `uses_`.
  std::unordered_map<std::uint64_t, Live> live_;  ///< By allocation number.
};

}  // namespace tidemark::analyzer
