#include "gui/view/trees/layer_colours.hpp"

#include "analyzer/picture/bands.hpp"
#include "gui/view/trees/call_tree.hpp"

namespace tidemark::gui {
namespace {

std::string key_of(const std::string& name, const std::string& place) {
  return name + '\t' + place;
}

/// `loader.cpp` of `loader.cpp:40`.
std::string file_of(const std::string& place) {
  return place.substr(0, place.rfind(':'));
}

}  // namespace

LayerColours::LayerColours(const std::vector<analyzer::FootprintLayer>& layers,
                           const picture::Theme& theme) {
  const auto colours = picture::layer_colours(layers, theme);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (const auto& frame = layers[i].frame) {
      const std::string name = analyzer::short_name(*frame);
      const std::string place = place_text(*frame);
      exact_.try_emplace(key_of(name, place), colours[i]);
      lineless_.try_emplace(key_of(name, file_of(place)), colours[i]);
    }
  }
}

std::optional<picture::Colour> LayerColours::of(const std::string& name,
                                                const std::string& place) const {
  if (const auto exact = exact_.find(key_of(name, place)); exact != exact_.end()) {
    return exact->second;
  }
  const auto found = lineless_.find(key_of(name, file_of(place)));
  return found == lineless_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tidemark::gui
