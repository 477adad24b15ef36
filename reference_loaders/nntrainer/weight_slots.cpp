#include "reference_loaders/nntrainer/weight_slots.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>
#include <utility>

#include <sys/mman.h>

namespace tidemark::loaders::nntrainer {
namespace {

constexpr std::uint64_t kPageBytes = 4096;  // x86-64

/// The whole pages that a weight lies in.
struct PageRange {
  std::uint64_t begin;
  std::uint64_t bytes;
};

PageRange pages_of(const PlannedTensor& weight) {
  const std::uint64_t from = weight.weights_offset * sizeof(float);
  const std::uint64_t begin = from / kPageBytes * kPageBytes;
  const std::uint64_t end = (from + weight.bytes() + kPageBytes - 1) / kPageBytes * kPageBytes;
  return {begin, end - begin};
}

}  // namespace

WeightSlots::WeightSlots(const Network& network, const TensorTable& table, std::size_t lookahead)
    : table_(table), owners_before_(network.layers.size()) {
  std::vector<TensorId> ids;
  std::vector<Lifespan> lifespans;
  for (LayerIndex layer = 0; layer < network.layers.size(); ++layer) {
    for (const TensorId id : table.weights(layer)) {
      ids.push_back(id);
      lifespans.push_back({.bytes = table.tensors()[id].bytes(),
                           .first = layer - std::min<std::size_t>(layer, lookahead - 1),
                           .last = layer});
    }
  }
  const MemoryPlan plan = plan_memory(lifespans);
  std::map<std::uint64_t, std::uint64_t> largest;
  for (std::size_t at = 0; at < ids.size(); ++at) {
    offsets_[ids[at]] = plan.offsets[at];
    std::uint64_t& elements = largest[plan.offsets[at]];
    elements = std::max(elements, table.tensors()[ids[at]].elements);
  }
  for (const auto& [offset, elements] : largest) {
    slots_.emplace(offset, FloatBlock(elements));
  }
  find_owners(network, table);
}

void WeightSlots::find_owners(const Network& network, const TensorTable& table) {
  std::map<std::uint64_t, LayerIndex> owner;  // of each slot, so far
  for (LayerIndex layer = 0; layer < network.layers.size(); ++layer) {
    std::set<LayerIndex> before;
    for (const TensorId id : table.weights(layer)) {
      const auto [found, is_new] = owner.try_emplace(offsets_[id], layer);
      if (!is_new) {
        before.insert(std::exchange(found->second, layer));
      }
    }
    before.erase(layer);
    owners_before_[layer].assign(before.begin(), before.end());
  }
}

std::span<float> WeightSlots::place(TensorId id) const {
  return slots_.at(offsets_.at(id)).floats().first(table_.tensors()[id].elements);
}

std::uint64_t WeightSlots::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [offset, slot] : slots_) {
    sum += slot.floats().size_bytes();
  }
  return sum;
}

void load_mapped(const WeightsFile& file, const PlannedTensor& weight, std::span<float> slot) {
  const PageRange pages = pages_of(weight);
  void* const mapping = mmap(nullptr, pages.bytes, PROT_READ, MAP_PRIVATE, file.descriptor(),
                             static_cast<off_t>(pages.begin));
  if (mapping == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), file.name() + ": cannot be mapped");
  }
  mlock(mapping, pages.bytes);
  madvise(mapping, pages.bytes, MADV_SEQUENTIAL);
  const std::uint64_t within = weight.weights_offset * sizeof(float) - pages.begin;
  std::memcpy(slot.data(), static_cast<const std::byte*>(mapping) + within, weight.bytes());
  munmap(mapping, pages.bytes);
}

std::uint64_t largest_mapping(const TensorTable& table) {
  std::uint64_t largest = 0;
  for (const PlannedTensor& tensor : table.tensors()) {
    if (tensor.is_weight) {
      largest = std::max(largest, pages_of(tensor).bytes);
    }
  }
  return largest;
}

}  // namespace tidemark::loaders::nntrainer
