#include "analyzer/tensors/held_tensors.hpp"

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/tensor_places.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
namespace {

class Holder {
 public:
  Holder(const trace::Definitions& definitions, std::uint64_t at_ns)
      : definitions_(definitions), places_(definitions), contents_(definitions, at_ns) {
    contents_.add_parts(at_ns);
  }

  void see(const trace::Event& allocation, std::uint64_t bytes) {
    std::map<std::uint32_t, std::uint64_t> by_tensor;
    for (const TensorPart& part :
         contents_.held_parts(allocation.allocation, allocation.lane, bytes)) {
      by_tensor[trace::index(part.tensor)] += part.bytes;
    }
    for (const auto& [tensor, part] : by_tensor) {
      add(tensor, part, allocation.stack, allocation.lane == trace::Lane::kFile);
    }
  }
  void see(const SizedBlock& block) {
    if (!contents_.names_tensors(block.allocation)) {
      add(trace::index(block.tensor), block.bytes, block.stack, false).is_by_size = true;
    }
  }

  HeldTensors take() {
    HeldTensors held;
    std::set<std::uint32_t> files;
    for (auto& [tensor, sum] : held_) {
      files.insert(trace::index(definitions_.tensors[tensor].file));
      held.bytes += sum.held.bytes;
      held.tensors.push_back(sum.held);
    }
    for (const std::uint32_t file : files) {
      for (const auto& [begin, tensor] : places_.of(file)) {
        ++held.listed;
        held.listed_bytes += definitions_.tensors[tensor].bytes;
      }
    }
    return held;
  }

 private:
  struct Sum {
    HeldTensor held;
    std::uint64_t most_bytes = 0;
  };

  HeldTensor& add(std::uint32_t tensor, std::uint64_t bytes, trace::StackId stack, bool is_mapped) {
    Sum& sum = held_[tensor];
    HeldTensor& held = sum.held;
    held.tensor = trace::TensorId{tensor};
    // A block of the footprint says more than a mapping, however much that spans.
    const bool is_first_block = !is_mapped && held.blocks == 0;
    const bool is_larger = bytes > sum.most_bytes && (!is_mapped || held.blocks == 0);
    if (is_first_block || is_larger) {
      held.stack = stack;
      sum.most_bytes = bytes;
    }
    (is_mapped ? held.mapped_bytes : held.bytes) += bytes;
    held.blocks += is_mapped ? 0 : 1;
    return held;
  }

  const trace::Definitions& definitions_;
  TensorPlaces places_;
  BlockContents contents_;
  std::map<std::uint32_t, Sum> held_;  // By TensorId.
};

}  // namespace

HeldTensors tensors_held_at(LoadedTrace& trace,
                            const Instant& at,
                            std::span<const SizedBlock> sized) {
  if (trace.definitions().tensors.empty()) {
    return {};
  }
  Holder holder(trace.definitions(), at.at_ns);
  visit_live(trace, {}, at, [&holder](const trace::Event& allocation, std::uint64_t bytes) {
    holder.see(allocation, bytes);
  });
  for (const SizedBlock& block : sized) {
    holder.see(block);
  }
  return holder.take();
}

}  // namespace tidemark::analyzer
