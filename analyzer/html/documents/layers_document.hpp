/// What the footprint is made of, as JSON for the page.
#pragma once

#include "analyzer/html/contents/page_instants.hpp"
#include "analyzer/html/contents/page_layers.hpp"

#include <vector>

namespace tidemark::html {

/// [{by, layers: [{text, colour, at_peak}], bytes}]: the colour is the name of a property of the
/// page's style, `bytes` a packed list for each load and layer.
Json layers_document(const std::vector<PageLayers>& layers);

}  // namespace tidemark::html
