/// The colours that functions have as layers of the timeline, for whoever else draws them.
#pragma once

#include "analyzer/layers/footprint_layers.hpp"
#include "analyzer/picture/drawing/theme.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::gui {

class LayerColours {
 public:
  /// No function has one.
  LayerColours() = default;
  /// @param layers by function, or by anything else: then no function has a colour.
  LayerColours(const std::vector<analyzer::FootprintLayer>& layers, const picture::Theme& theme);

  /// Of a function as tables show it (see analyzer::short_name, place_text). Where only its line
  /// differs, as it does between two builds, it is the same function.
  [[nodiscard]] std::optional<picture::Colour> of(const std::string& name,
                                                  const std::string& place) const;

 private:
  std::unordered_map<std::string, picture::Colour> exact_;     // By name and place.
  std::unordered_map<std::string, picture::Colour> lineless_;  // By name and file.
};

}  // namespace tidemark::gui
