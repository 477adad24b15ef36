/// Groups allocations by the asking function, by the layer of the weights in them, and so on.
#pragma once

#include "analyzer/load/phases.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/stacks/asker_finder.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/tensors/held_tensors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

enum class LayerGrouping : std::uint8_t {
  kFunction,  ///< The function and line that asked, as a report's rows begin; of a line of Python
              ///< also the extension function inside, where several hold much: see split_natives.
  kTensor,    ///< The layer of the weights whose bytes are in it.
  kLane,
  kModule,  ///< The library, the program or the Python package that asked.
  kPhase,   ///< The phase in which it was allocated.
};
inline constexpr std::array kLayerGroupings{LayerGrouping::kFunction, LayerGrouping::kTensor,
                                            LayerGrouping::kLane, LayerGrouping::kModule,
                                            LayerGrouping::kPhase};
/// `function`, `tensor`, `lane`, `module`, `phase`.
std::string_view grouping_word(LayerGrouping grouping);
/// All of them, in the order of kLayerGroupings.
std::vector<std::string> grouping_words();
/// None for what is no word of one.
std::optional<LayerGrouping> grouping_named(std::string_view word);
/// Name of the allocations in no group: `no stack`, `not weights`.
std::string_view no_layer_words(LayerGrouping grouping);
/// Several of them: `functions`, `layers of the model`.
std::string_view layers_words(LayerGrouping grouping);

/// One load to be layered. All stays borrowed.
struct LayeredLoad {
  LoadedTrace* trace = nullptr;  ///< Never null.
  Instant peak;
  std::uint64_t peak_bytes = 0;
  std::span<const Phase> phases;           ///< For kPhase alone.
  std::span<const SizedBlock> sized;       ///< For kTensor alone: what Anatomy has of the peak.
  std::span<const std::string> natives{};  ///< For kFunction alone: see large_natives.
  AskerFinder* askers = nullptr;           ///< Shared with others of this trace; null: not shared.
};

struct LayerName {
  std::string text;  ///< Groups of equal text are one.
  /// Without the line: pairs code that moved between two builds. Empty if there is no line.
  std::string lineless{};
  std::optional<NamedFrame> frame{};  ///< For kFunction: to be fitted into less space.
  std::optional<NamedFrame>
      native{};  ///< The extension function of a line that has several layers.
};

/// The groups of one load, numbered as they are met.
class LayerKeys {
 public:
  /// What is in no group.
  static constexpr std::uint32_t kNone = 0;
  using Add = std::function<void(std::uint32_t key, std::uint64_t bytes)>;

  LayerKeys() = default;
  LayerKeys(const LayerKeys&) = delete;
  LayerKeys& operator=(const LayerKeys&) = delete;
  virtual ~LayerKeys() = default;

  /// Divides the current `bytes` of an allocation among groups: the parts added sum to `bytes`. In
  /// the event only number, stack, thread and lane are set.
  virtual void split(const trace::Event& allocation, std::uint64_t bytes, const Add& add) = 0;

  /// So far, kNone among them.
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] const LayerName& operator[](std::uint32_t key) const { return names_.at(key); }

 protected:
  std::uint32_t add_name(LayerName name) {
    names_.push_back(std::move(name));
    return static_cast<std::uint32_t>(names_.size() - 1);
  }

 private:
  std::vector<LayerName> names_{1};
};

/// @param split of the loads that are layered together.
std::unique_ptr<LayerKeys> make_layer_keys(const LayeredLoad& load,
                                           LayerGrouping grouping,
                                           const std::set<std::string>& split);

// For single groupings, used by make_layer_keys.
std::unique_ptr<LayerKeys> make_stack_keys(const LayeredLoad& load,
                                           LayerGrouping grouping,
                                           const std::set<std::string>& split);
std::unique_ptr<LayerKeys> make_tensor_keys(const LayeredLoad& load);

}  // namespace tidemark::analyzer
