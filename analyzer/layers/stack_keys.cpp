// By who asked: the function, or the module that it is in.
#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/stacks/alike/comparable_frame.hpp"
#include "analyzer/stacks/stack_text.hpp"

#include <map>
#include <memory>
#include <unordered_map>

namespace tidemark::analyzer {
namespace {

LayerName function_of(const NamedFrame& frame) {
  constexpr std::size_t kPlenty = 1000;
  const TextStyle whole{.width = kPlenty, .utf8 = true};
  return {.text = frame_text(whole, frame, kPlenty),
          .lineless = lineless_name(frame) + '\t' + file_name(frame.file),
          .frame = frame};
}

class StackKeys : public LayerKeys {
 public:
  StackKeys(const LayeredLoad& load, LayerGrouping grouping)
      : grouping_(grouping),
        own_askers_(load.askers == nullptr
                        ? std::make_unique<AskerFinder>(load.trace->definitions())
                        : nullptr),
        askers_(load.askers == nullptr ? *own_askers_ : *load.askers),
        keys_(load.trace->definitions().stacks.size(), kUnnamed) {}

  void split(const trace::Event& allocation, std::uint64_t bytes, const Add& add) override {
    const std::size_t stack = trace::index(allocation.stack);
    if (stack >= keys_.size()) {
      add(kNone, bytes);
      return;
    }
    if (keys_[stack] == kUnnamed) {
      keys_[stack] = key_of_stack(allocation.stack);
    }
    add(keys_[stack], bytes);
  }

 private:
  static constexpr std::uint32_t kUnnamed = UINT32_MAX;

  std::uint32_t key_of_stack(trace::StackId stack) {
    const auto asking = askers_.find(stack).asking;
    if (!asking) {
      return kNone;
    }
    const auto [key, is_first] = by_asker_.try_emplace(*asking, kNone);
    if (is_first) {
      key->second = key_of(askers_.named(*asking));
    }
    return key->second;
  }
  std::uint32_t key_of(const NamedFrame& asking) {
    LayerName name = grouping_ == LayerGrouping::kModule ? LayerName{.text = module_text(asking)}
                                                         : function_of(asking);
    const auto [entry, is_new] = by_text_.try_emplace(name.text, kNone);
    if (is_new) {
      entry->second = add_name(std::move(name));
    }
    return entry->second;
  }

  LayerGrouping grouping_;
  std::unique_ptr<AskerFinder> own_askers_;
  AskerFinder& askers_;
  std::vector<std::uint32_t> keys_;  // By StackId.
  std::map<AskerFinder::Function, std::uint32_t> by_asker_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

}  // namespace

std::unique_ptr<LayerKeys> make_stack_keys(const LayeredLoad& load, LayerGrouping grouping) {
  return std::make_unique<StackKeys>(load, grouping);
}

}  // namespace tidemark::analyzer
