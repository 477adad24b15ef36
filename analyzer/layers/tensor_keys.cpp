// By the layer of the model whose bytes are in it.
#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/tensor_groups.hpp"

#include <algorithm>
#include <unordered_map>

namespace tidemark::analyzer {
namespace {

class TensorKeys : public LayerKeys {
 public:
  TensorKeys(const trace::Definitions& definitions, std::span<const SizedBlock> sized)
      : contents_(definitions) {
    std::unordered_map<std::string, std::uint32_t> known;
    for (const trace::Tensor& tensor : definitions.tensors) {
      std::string layer = layer_of(tensor.name);
      const auto [entry, is_new] = known.try_emplace(layer, kNone);
      if (is_new) {
        entry->second = add_name({.text = std::move(layer)});
      }
      keys_.push_back(entry->second);
    }
    contents_.add_parts();
    for (const SizedBlock& block : sized) {
      sized_.emplace(block.allocation, block);
    }
  }

  void split(const trace::Event& allocation, std::uint64_t bytes, const Add& add) override {
    std::uint64_t rest = bytes;
    const auto take = [&](trace::TensorId tensor, std::uint64_t part) {
      const std::uint64_t taken = std::min(part, rest);
      add(keys_[trace::index(tensor)], taken);
      rest -= taken;
    };
    if (contents_.names_tensors(allocation.allocation)) {
      for (const TensorPart& part :
           contents_.held_parts(allocation.allocation, allocation.lane, bytes)) {
        take(part.tensor, part.bytes);
      }
    } else if (const auto found = sized_.find(allocation.allocation); found != sized_.end()) {
      take(found->second.tensor, found->second.bytes);
    }
    if (rest > 0) {
      add(kNone, rest);
    }
  }

 private:
  BlockContents contents_;
  std::vector<std::uint32_t> keys_;  // By TensorId.
  std::unordered_map<trace::AllocationNumber, SizedBlock> sized_;
};

}  // namespace

std::unique_ptr<LayerKeys> make_tensor_keys(const LayeredLoad& load) {
  return std::make_unique<TensorKeys>(load.trace->definitions(), load.sized);
}

}  // namespace tidemark::analyzer
