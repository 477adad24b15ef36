// By who asked: the function, or the module that it is in.
#include "analyzer/flow/places.hpp"
#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/layers/line_natives.hpp"
#include "analyzer/stacks/alike/comparable_frame.hpp"
#include "analyzer/stacks/stack_text.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
namespace {

LayerName function_of(const NamedFrame& frame) {
  constexpr std::size_t kPlenty = 1000;
  const TextStyle whole{.width = kPlenty, .utf8 = true};
  return {.text = frame_text(whole, frame, kPlenty),
          .lineless = lineless_name(frame) + '\t' + file_name(frame.file),
          .frame = frame};
}

/// Name for one of several layers of a line: `load through read_file  load.py:12`.
LayerName function_of(const NamedFrame& frame, const NamedFrame& native) {
  LayerName name = function_of(frame);
  const std::string through = " through " + native_text(native);
  name.text.insert(std::min(name.text.rfind("  "), name.text.size()), through);
  name.lineless += through;
  name.native = native;
  return name;
}

class StackKeys : public LayerKeys {
 public:
  StackKeys(const LayeredLoad& load, LayerGrouping grouping, std::set<std::string> split)
      : grouping_(grouping),
        split_(std::move(split)),
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
    const AskerFinder::Found& found = askers_.find(stack);
    if (!found.asking) {
      return kNone;
    }
    const std::uint32_t asker = askers_.number_of(stack);
    by_asker_.resize(std::max<std::size_t>(by_asker_.size(), asker + 1), kUnnamed);
    if (by_asker_[asker] == kUnnamed) {
      by_asker_[asker] = key_of(name_of(found));
    }
    return by_asker_[asker];
  }
  LayerName name_of(const AskerFinder::Found& found) const {
    const NamedFrame asking = askers_.named(*found.asking);
    if (grouping_ == LayerGrouping::kModule) {
      return {.text = module_text(asking)};
    }
    if (asking.is_python && found.native) {
      const NamedFrame native = askers_.named(*found.native);
      if (split_.contains(native_key(asking, native))) {
        return function_of(asking, native);
      }
    }
    return function_of(asking);
  }
  std::uint32_t key_of(LayerName name) {
    const auto [entry, is_new] = by_text_.try_emplace(name.text, kNone);
    if (is_new) {
      entry->second = add_name(std::move(name));
    }
    return entry->second;
  }

  LayerGrouping grouping_;
  std::set<std::string> split_;
  std::unique_ptr<AskerFinder> own_askers_;
  AskerFinder& askers_;
  std::vector<std::uint32_t> keys_;      // By StackId.
  std::vector<std::uint32_t> by_asker_;  // By AskerFinder::number_of.
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

}  // namespace

std::unique_ptr<LayerKeys> make_stack_keys(const LayeredLoad& load,
                                           LayerGrouping grouping,
                                           const std::set<std::string>& split) {
  return std::make_unique<StackKeys>(
      load, grouping, grouping == LayerGrouping::kFunction ? split : std::set<std::string>());
}

}  // namespace tidemark::analyzer
