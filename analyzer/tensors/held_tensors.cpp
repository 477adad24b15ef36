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
    struct Part {
      std::uint64_t bytes = 0;
      HeldTypes types;
    };
    std::map<std::uint32_t, Part> by_tensor;
    for (const TensorPart& part :
         contents_.held_parts(allocation.allocation, allocation.lane, bytes)) {
      Part& sum = by_tensor[trace::index(part.tensor)];
      sum.bytes += part.bytes;
      sum.types.add(types_of(part));
    }
    for (const auto& [tensor, part] : by_tensor) {
      add(tensor, part.bytes, allocation.stack, allocation.lane == trace::Lane::kFile)
          .types.add(part.types);
    }
  }
  void see(const SizedBlock& block) {
    if (!contents_.names_tensors(block.allocation)) {
      HeldTensor& held = add(trace::index(block.tensor), block.bytes, block.stack, false);
      held.is_by_size = true;
      held.types.as_in_file = true;
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

  [[nodiscard]] HeldTypes types_of(const TensorPart& part) const {
    const bool is_converted =
        !part.type.empty() && part.type != definitions_.tensors[trace::index(part.tensor)].type;
    return is_converted ? HeldTypes{.converted = {std::string(part.type)}}
                        : HeldTypes{.as_in_file = true};
  }

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

std::string HeldTypes::text() const {
  std::string text;
  for (const std::string& type : converted) {
    text += (text.empty() ? "" : &type == &*converted.rbegin() ? " and " : ", ") + type;
  }
  return text.empty() ? text : (as_in_file ? ", also as " : " as ") + text;
}

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
