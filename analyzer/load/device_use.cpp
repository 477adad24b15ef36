#include "analyzer/load/device_use.hpp"

#include "analyzer/query/wrapping.hpp"
#include "collector/trace/types/device_place.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace tidemark::analyzer {

std::string device_properties_text(std::uint32_t properties) {
  // VkMemoryPropertyFlagBits, vulkan_core.h.
  static constexpr std::array<std::pair<std::uint32_t, const char*>, 6> kNames{
      {{1, "device local"},
       {2, "host visible"},
       {4, "coherent"},
       {8, "cached"},
       {16, "lazily allocated"},
       {32, "protected"}}};
  std::string text;
  for (const auto& [bit, name] : kNames) {
    if ((properties & bit) != 0) {
      text += (text.empty() ? "" : ", ") + std::string(name);
    }
  }
  return text.empty() ? "no properties" : text;
}

std::size_t DeviceUseCollector::use_of(const trace::DevicePlace& place) {
  const auto found = std::ranges::find_if(uses_, [&](const DeviceUse& use) {
    return use.heap == place.heap && use.type == place.type && use.properties == place.properties;
  });
  if (found != uses_.end()) {
    return static_cast<std::size_t>(found - uses_.begin());
  }
  uses_.push_back({.heap = place.heap, .type = place.type, .properties = place.properties});
  bytes_.push_back(0);
  return uses_.size() - 1;
}

void DeviceUseCollector::begin(const trace::Event& event) {
  const trace::DevicePlace place = trace::device_place(event);
  const std::size_t index = use_of(place);
  DeviceUse& use = uses_[index];
  ++use.allocations;
  use.dedicated += place.dedicated ? 1U : 0U;
  use.imported += place.imported ? 1U : 0U;
  use.is_private = use.is_private || place.from_host;
  bytes_[index] += event.size;
  use.highest_bytes = std::max(use.highest_bytes, bytes_[index]);
  live_[event.allocation] = {.use = index,
                             .bytes = event.size,
                             .process = definitions_.threads[trace::index(event.thread)].process};
}

void DeviceUseCollector::end(trace::AllocationNumber allocation, const trace::Event&) {
  if (const auto block = live_.find(allocation); block != live_.end()) {
    bytes_[block->second.use] -= block->second.bytes;
    live_.erase(block);
  }
}

void DeviceUseCollector::resize(trace::AllocationNumber allocation,
                                std::int64_t change,
                                const trace::Event&) {
  if (const auto block = live_.find(allocation); block != live_.end()) {
    std::uint64_t& total = bytes_[block->second.use];
    total -= block->second.bytes;
    block->second.bytes = changed(block->second.bytes, change);
    total += block->second.bytes;
    uses_[block->second.use].highest_bytes =
        std::max(uses_[block->second.use].highest_bytes, total);
  }
}

void DeviceUseCollector::end_all(const trace::Event& event) {
  const trace::ProcessId process{static_cast<std::uint32_t>(event.extra)};
  std::erase_if(live_, [&](const auto& entry) {
    const Live& block = entry.second;
    if (block.process != process) {
      return false;
    }
    bytes_[block.use] -= block.bytes;
    return true;
  });
}

std::vector<DeviceUse> DeviceUseCollector::take() {
  std::ranges::stable_sort(uses_, std::greater(), &DeviceUse::highest_bytes);
  return std::move(uses_);
}

}  // namespace tidemark::analyzer
