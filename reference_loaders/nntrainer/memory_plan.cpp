#include "reference_loaders/nntrainer/memory_plan.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tidemark::loaders::nntrainer {
namespace {

struct Place {
  std::uint64_t offset;
  std::uint64_t bytes;
};

/// The lowest gap of so many bytes between places, which may overlap each other.
std::uint64_t lowest_gap(std::vector<Place> taken, std::uint64_t bytes) {
  std::ranges::sort(taken, {}, &Place::offset);
  std::uint64_t end = 0;
  for (const Place& place : taken) {
    if (place.offset >= end + bytes) {
      break;
    }
    end = std::max(end, place.offset + place.bytes);
  }
  return end;
}

std::vector<std::size_t> in_planning_order(const std::vector<Lifespan>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::tuple(tensors[a].first, tensors[b].bytes) <
           std::tuple(tensors[b].first, tensors[a].bytes);
  });
  return order;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Lifespan>& tensors) {
  MemoryPlan plan{.offsets = std::vector<std::uint64_t>(tensors.size())};
  std::vector<std::size_t> planned;
  for (const std::size_t index : in_planning_order(tensors)) {
    const Lifespan& tensor = tensors[index];
    std::vector<Place> taken;
    for (const std::size_t other : planned) {
      if (tensors[other].first <= tensor.last && tensor.first <= tensors[other].last) {
        taken.push_back({plan.offsets[other], tensors[other].bytes});
      }
    }
    plan.offsets[index] = lowest_gap(std::move(taken), tensor.bytes);
    plan.bytes = std::max(plan.bytes, plan.offsets[index] + tensor.bytes);
    planned.push_back(index);
  }
  return plan;
}

}  // namespace tidemark::loaders::nntrainer
