#include "reference_loaders/ggml/graph_allocator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::loaders::ggml {
namespace {

std::uint64_t aligned(std::uint64_t value) {
  return (value + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

/// Operations that read each element before they write it. ggml has more; GPT-2 uses these.
bool can_work_in_place(Op op) {
  switch (op) {
    case Op::kAdd:
    case Op::kMul:
    case Op::kScale:
    case Op::kDiagMaskInf:
    case Op::kGelu:
    case Op::kSoftMax:
      return true;
    default:
      return false;
  }
}

std::uintptr_t view_address(const Tensor& view) {
  switch (view.op) {
    case Op::kView:
      return view.src[0]->address + view.view_offset;
    case Op::kCpy:
      return view.src[1]->address;
    default:
      return view.src[0]->address;
  }
}

}  // namespace

BufferTooSmall::BufferTooSmall(std::uint64_t needed, std::uint64_t largest)
    : std::runtime_error(fmt::format("ggml_allocr_alloc: not enough space in the buffer (needed "
                                     "{}, largest block available {})",
                                     needed,
                                     largest)) {}

GraphAllocator GraphAllocator::measuring() {
  return {kMeasureBase, kMeasureBytes, true, Fit::kRestIsLast};
}

GraphAllocator::GraphAllocator(std::span<std::byte> memory, Fit fit)
    : GraphAllocator(reinterpret_cast<std::uintptr_t>(memory.data()), memory.size(), false, fit) {}

GraphAllocator::GraphAllocator(std::uintptr_t base, std::uint64_t bytes, bool is_measuring, Fit fit)
    : base_(aligned(base)),
      bytes_(bytes - std::min(bytes, aligned(base) - base)),
      is_measuring_(is_measuring),
      free_({base_, bytes_}, fit) {}

void GraphAllocator::allocate(Tensor& tensor) {
  const std::uint64_t bytes = aligned(tensor.bytes());
  const auto address = free_.take(bytes);
  if (!address) {
    throw BufferTooSmall(bytes, free_.largest());
  }
  tensor.address = *address;
  max_bytes_ = std::max(max_bytes_, *address - base_ + bytes);
}

void GraphAllocator::allocate(const Graph& graph) {
  count_uses(graph);
  for (Tensor* node : graph.nodes()) {
    for (Tensor* source : node->sources()) {
      place(*source);  // a leaf takes memory when it is first used
    }
    place(*node);
    release_sources(*node);
  }
}

void GraphAllocator::count_uses(const Graph& graph) {
  uses_.clear();
  for (Tensor* node : graph.nodes()) {
    if (node->is_view()) {
      ++uses_[view_source(node)].views;
    }
    for (const Tensor* source : node->sources()) {
      ++uses_[source].children;
    }
  }
}

void GraphAllocator::place(Tensor& tensor) {
  if (tensor.address != 0) {
    return;
  }
  if (tensor.is_view()) {
    tensor.address = view_address(tensor);
  } else if (!place_in_a_source(tensor)) {
    allocate(tensor);
  }
}

bool GraphAllocator::place_in_a_source(Tensor& tensor) {
  if (!can_work_in_place(tensor.op)) {
    return false;
  }
  for (Tensor* source : tensor.sources()) {
    if (can_take_over(tensor, *source)) {
      tensor.address = source->address;
      return true;
    }
  }
  return false;
}

bool GraphAllocator::can_take_over(const Tensor& tensor, Tensor& source) {
  // Weights lie outside and are never written to.
  if (source.address < base_ || source.address >= base_ + bytes_) {
    return false;
  }
  const Uses& uses = uses_[&source];
  if (uses.children != 1 || uses.views != 0 || !same_layout(tensor, source)) {
    return false;
  }
  if (!source.is_view()) {
    return true;
  }
  // Only from the start of what it views: the address is all that says what to give back later.
  Tensor* viewed = view_source(&source);
  const Uses& viewed_uses = uses_[viewed];
  return viewed_uses.views == 1 && viewed_uses.children == 0 && viewed->address == source.address;
}

void GraphAllocator::release_sources(const Tensor& node) {
  for (Tensor* source : node.sources()) {
    Uses& uses = uses_[source];
    --uses.children;
    if (!uses.none()) {
      continue;
    }
    Tensor* owner = source;
    if (source->is_view()) {
      owner = view_source(source);
      --uses_[owner].views;
    }
    if (uses_[owner].none() && owner->address != node.address) {
      release(*owner);
    }
  }
}

void GraphAllocator::release(const Tensor& tensor) {
  // All that ggml knows of a tensor from elsewhere is that its address is not in the range.
  if (tensor.address < base_ || tensor.address >= base_ + max_bytes_) {
    return;
  }
  free_.give_back({tensor.address, aligned(tensor.bytes())});
}

}  // namespace tidemark::loaders::ggml
