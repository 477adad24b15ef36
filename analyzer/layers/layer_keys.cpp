#include "analyzer/layers/layer_keys.hpp"

#include "analyzer/layers/allocation_phases.hpp"

#include <unordered_map>

namespace tidemark::analyzer {
namespace {

struct GroupingWords {
  std::string_view word;
  std::string_view none;
  std::string_view several;
};
constexpr std::array<GroupingWords, kLayerGroupings.size()> kGroupingWords{{
    {"function", "no stack", "functions"},
    {"tensor", "not weights", "layers of the model"},
    {"lane", "no lane", "lanes"},
    {"module", "no stack", "modules"},
    {"phase", "outside phases", "phases"},
}};

class LaneKeys : public LayerKeys {
 public:
  LaneKeys() {
    for (const trace::LaneInfo& info : trace::kLanes) {
      add_name({.text = info.title});
    }
  }
  void split(const trace::Event& allocation, std::uint64_t bytes, const Add& add) override {
    add(static_cast<std::uint32_t>(allocation.lane) + 1, bytes);
  }
};

class PhaseKeys : public LayerKeys {
 public:
  explicit PhaseKeys(const LayeredLoad& load) : phases_(*load.trace, load.phases) {
    std::unordered_map<std::string_view, std::uint32_t> known;
    for (const Phase& phase : load.phases) {
      const auto [entry, is_new] = known.try_emplace(phase.name, 0);
      if (is_new) {
        entry->second = add_name({.text = phase.name});
      }
      keys_.push_back(entry->second);
    }
  }
  void split(const trace::Event& allocation, std::uint64_t bytes, const Add& add) override {
    const auto phase = phases_.at(allocation.allocation, allocation.thread);
    add(phase ? keys_[*phase] : kNone, bytes);
  }

 private:
  AllocationPhases phases_;
  std::vector<std::uint32_t> keys_;  // By phase.
};

}  // namespace

std::string_view grouping_word(LayerGrouping grouping) {
  return kGroupingWords.at(static_cast<std::size_t>(grouping)).word;
}

std::vector<std::string> grouping_words() {
  std::vector<std::string> words;
  for (const LayerGrouping grouping : kLayerGroupings) {
    words.emplace_back(grouping_word(grouping));
  }
  return words;
}

std::optional<LayerGrouping> grouping_named(std::string_view word) {
  for (const LayerGrouping grouping : kLayerGroupings) {
    if (grouping_word(grouping) == word) {
      return grouping;
    }
  }
  return std::nullopt;
}

std::string_view no_layer_words(LayerGrouping grouping) {
  return kGroupingWords.at(static_cast<std::size_t>(grouping)).none;
}

std::string_view layers_words(LayerGrouping grouping) {
  return kGroupingWords.at(static_cast<std::size_t>(grouping)).several;
}

std::unique_ptr<LayerKeys> make_layer_keys(const LayeredLoad& load,
                                           LayerGrouping grouping,
                                           const std::set<std::string>& split) {
  switch (grouping) {
    case LayerGrouping::kTensor:
      return make_tensor_keys(load);
    case LayerGrouping::kLane:
      return std::make_unique<LaneKeys>();
    case LayerGrouping::kPhase:
      return std::make_unique<PhaseKeys>(load);
    default:
      return make_stack_keys(load, grouping, split);
  }
}

}  // namespace tidemark::analyzer
