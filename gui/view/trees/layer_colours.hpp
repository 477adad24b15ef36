/// The colours of functions that are layers of the timeline, for use in other pictures.
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
  /// @param layers if not by function, no function gets a colour.
  LayerColours(const std::vector<analyzer::FootprintLayer>& layers, const picture::Theme& theme);

  /// For a function as tables show it (see analyzer::short_name, place_text). Functions that differ
  /// only in the line, as in two builds, count as the same.
  [[nodiscard]] std::optional<picture::Colour> of(const std::string& name,
                                                  const std::string& place) const;

 private:
  std::unordered_map<std::string, picture::Colour> exact_;     // By name and place.
  std::unordered_map<std::string, picture::Colour> lineless_;  // By name and file.
};

}  // namespace tidemark::gui
