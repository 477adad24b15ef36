/// What the footprint is made of, as JSON for the page.
#pragma once

#include "analyzer/html/contents/page_instants.hpp"
#include "analyzer/html/contents/page_layers.hpp"

#include <span>
#include <vector>

namespace tidemark::html {

/// [{by, layers: [{text, colour, at_peak}], bytes, at_instants}]: the colour is the name of a
/// property of the page's style, `bytes` and `at_instants` a packed list for each load and layer.
Json layers_document(const std::vector<PageLayers>& layers);

/// Sets `layered_ns` of the timeline of `load`, a packed list: when the points of LayeredPage are.
void add_layered_times(std::span<const analyzer::LayerPoint> points, Json& load);

}  // namespace tidemark::html
