#include "gui/view/blocks/block_layers.hpp"

#include "analyzer/layers/line_natives.hpp"
#include "analyzer/query/live/live_set.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace tidemark::gui {

namespace {

/// Those that the layers were made with.
std::set<std::string> split_natives_of(const std::vector<analyzer::FootprintLayer>& layers) {
  std::set<std::string> split;
  for (const analyzer::FootprintLayer& layer : layers) {
    if (layer.native) {
      split.insert(analyzer::native_key(*layer.frame, *layer.native));
    }
  }
  return split;
}

}  // namespace

BlockLayers::BlockLayers(const analyzer::LayeredLoad& load,
                         std::size_t side,
                         analyzer::LayerGrouping by,
                         std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers)
    : side_(side),
      by_(by),
      layers_(std::move(layers)),
      keys_(by == analyzer::LayerGrouping::kPhase
                ? nullptr
                : analyzer::make_layer_keys(load, by, split_natives_of(*layers_))) {}

std::optional<std::size_t> BlockLayers::of(const LongBlock& block) {
  if (keys_ == nullptr) {
    return std::nullopt;
  }
  const std::uint64_t key = by_ == analyzer::LayerGrouping::kTensor
                                ? block.allocation
                                : analyzer::key_of(trace::index(block.stack), block.lane);
  const auto [entry, is_new] = known_.try_emplace(key, 0);
  if (is_new) {
    entry->second = found(block);
  }
  return entry->second;
}

std::size_t BlockLayers::found(const LongBlock& block) {
  std::uint64_t most = 0;
  std::uint32_t key = analyzer::LayerKeys::kNone;
  std::unordered_map<std::uint32_t, std::uint64_t> bytes_of;
  keys_->split({.size = block.bytes,
                .allocation = block.allocation,
                .stack = block.stack,
                .thread = block.thread,
                .lane = block.lane},
               block.bytes, [&](std::uint32_t one, std::uint64_t bytes) {
                 if ((bytes_of[one] += bytes) > most) {
                   most = bytes_of[one];
                   key = one;
                 }
               });
  if (key == analyzer::LayerKeys::kNone) {
    return 0;
  }
  const std::string& text = (*keys_)[key].text;
  const auto same = std::ranges::find_if(*layers_, [&](const analyzer::FootprintLayer& layer) {
    return side_ < layer.own_texts.size() && layer.own_texts[side_] == text;
  });
  return same == layers_->end() ? rest() : static_cast<std::size_t>(same - layers_->begin());
}

/// The last rest layer: it has the groups without a layer of their own.
std::size_t BlockLayers::rest() const {
  const auto rests = std::ranges::count_if(*layers_, &analyzer::FootprintLayer::is_rest);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(rests, 1) - 1);
}

}  // namespace tidemark::gui
