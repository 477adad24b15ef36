/// One layer of the footprint, and its name in the room that there is.
#pragma once

#include "analyzer/layers/layer_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct FootprintLayer {
  std::string text;                    ///< `read_whole  loader.cpp:40`, `model.layers.3`.
  std::optional<NamedFrame> frame{};   ///< Set for the layer of a function.
  std::optional<NamedFrame> native{};  ///< As LayerName::native.
  bool is_rest = false;                ///< Several groups together, or allocations without one.
  /// One load: held for most of the time after the peak; two loads: the second has at least half of
  /// what the first had. True for a rest.
  bool stays = true;
  std::vector<std::uint64_t> at_peak{};  ///< Bytes at each load's own peak.
  /// For each load, LayerName::text of its group, or empty if it has none. Empty list for a rest.
  std::vector<std::string> own_texts{};

  /// `text`, shortened as a report's rows are.
  [[nodiscard]] std::string fitted(std::size_t characters) const;
  /// The same without a function's place, or only the place if it has no name.
  [[nodiscard]] std::string short_text(std::size_t characters) const;
};

/// FootprintLayer::fitted of each; if two would read the same, with the end of their place beside
/// less of the function: `InferenceSe…ession  …nference_collection.py:755`.
std::vector<std::string> fitted_texts(const std::vector<FootprintLayer>& layers,
                                      std::size_t characters);

/// Why there are only rest layers, in a sentence; empty if there is another layer.
std::string nothing_to_layer(LayerGrouping grouping, const std::vector<FootprintLayer>& layers);

}  // namespace tidemark::analyzer
