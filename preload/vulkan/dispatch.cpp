#include "preload/vulkan/dispatch.hpp"

namespace tidemark::vulkan {
namespace {

/// A key that no handle has: the entry is being filled.
const char g_claimed = 0;

}  // namespace

constinit Table<Instance> g_instances{};
constinit Table<Device> g_devices{};

template <typename Entry>
Entry* Table<Entry>::claim() {
  for (Entry& entry : entries_) {
    const void* expected = nullptr;
    if (entry.key.compare_exchange_strong(expected, &g_claimed, std::memory_order_acquire))
      return &entry;
  }
  return nullptr;
}

template <typename Entry>
Entry* Table<Entry>::find(const void* key) {
  for (Entry& entry : entries_) {
    if (entry.key.load(std::memory_order_acquire) == key)
      return &entry;
  }
  return nullptr;
}

template class Table<Instance>;
template class Table<Device>;

}  // namespace tidemark::vulkan
