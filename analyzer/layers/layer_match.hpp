/// Which groups of two loads are the same one.
#pragma once

#include "analyzer/layers/layer_keys.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// Two groups that are paired, by the numbers of LayerKeys; kNone if one load has none.
using LayerPair = std::pair<std::uint32_t, std::uint32_t>;

/// Every group of either load, except kNone, is in exactly one pair. Pairs equal texts first; then
/// the remaining groups of one function in the order of their lines, since lines move between
/// builds.
std::vector<LayerPair> match_layers(const LayerKeys& before, const LayerKeys& after);

}  // namespace tidemark::analyzer
