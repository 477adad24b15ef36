#include "analyzer/html/documents/layers_document.hpp"

#include "analyzer/html/contents/packed.hpp"
#include "analyzer/picture/bands.hpp"

#include <cstddef>

namespace tidemark::html {
namespace {

/// Longer names do not fit in any legend.
constexpr std::size_t kMaxNameCharacters = 100;

Json layer_list(const PageLayers& page) {
  const auto colours = picture::layer_colour_names(page.layers);
  Json list = Json::array();
  for (std::size_t i = 0; i < page.layers.size(); ++i) {
    const analyzer::FootprintLayer& layer = page.layers[i];
    list.push_back({{"text", layer.fitted(kMaxNameCharacters)},
                    {"colour", colours[i]},
                    {"at_peak", layer.at_peak}});
  }
  return list;
}

/// For each load, a list for each layer.
Json packed_rows(const std::vector<std::vector<std::vector<std::uint64_t>>>& loads) {
  Json json = Json::array();
  for (const auto& load : loads) {
    Json& rows = json.emplace_back(Json::array());
    for (const auto& row : load) {
      rows.push_back(packed(row));
    }
  }
  return json;
}

}  // namespace

Json layers_document(const std::vector<PageLayers>& layers) {
  Json json = Json::array();
  for (const PageLayers& page : layers) {
    json.push_back({{"by", analyzer::grouping_word(page.by)},
                    {"layers", layer_list(page)},
                    {"bytes", packed_rows(page.bytes)},
                    {"at_instants", packed_rows(page.at_instants)}});
  }
  return json;
}

void add_layered_times(std::span<const analyzer::LayerPoint> points, Json& load) {
  load["timeline"]["layered_ns"] =
      packed_column(points, [](const analyzer::LayerPoint& point) { return point.at.at_ns; });
}

}  // namespace tidemark::html
