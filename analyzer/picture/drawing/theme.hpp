/// The colours of a picture.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "collector/trace/types/event.hpp"

#include <array>

namespace tidemark::picture {

/// After Okabe and Ito: all pairs that meet differ in brightness as well as in hue, for every kind
/// of colour blindness. File mappings, RSS and the other trace differ in texture too.
struct Theme {
  Colour background;
  Colour ink;   ///< Titles and peaks.
  Colour soft;  ///< All other text.
  Colour grid;
  std::array<Colour, trace::kLaneCount> lanes;  ///< By Lane.
  /// For layers by function, tensor and so on: cool colours for what stays, warm ones for what
  /// goes.
  std::array<Colour, 7> stays;
  std::array<Colour, 7> goes;
  std::array<Colour, 2> rests;  ///< All else.
  Colour footprint;             ///< The line on top of the stacked lanes.
  Colour resident;
  Colour other;
  Colour model;
  std::array<Colour, 2> phases;  ///< For neighbouring phases, in turn.
  Colour progress;
  Colour more;  ///< The second trace holds more.
  Colour less;
  Colour warning;

  /// Opacity of the other trace's shadow.
  static constexpr double kShadow = 0.22;
  /// Opacity of file mappings below their edge.
  static constexpr double kMapped = 0.14;

  [[nodiscard]] Colour lane(trace::Lane lane) const {
    return lanes[static_cast<std::size_t>(lane)];
  }
};

const Theme& light_theme();
const Theme& dark_theme();

/// The theme for pictures with layers: RSS contrasts with their warm colours.
Theme with_layers(Theme theme);

/// `share` of `over` upon `under`, as an opaque colour.
Colour mixed(const Colour& over, const Colour& under, double share);

/// Contrast ratio by WCAG 2, from 1 to 21. Text needs 4.5, graphics 3.
double contrast(const Colour& one, const Colour& other);
constexpr double kTextContrast = 4.5;

/// Colour of text on `fill`: dark or white, whichever is more readable.
Colour ink_on(const Colour& fill);

/// `colour` for text on the background, mixed with as much ink as makes it readable.
Colour as_text(const Colour& colour, const Theme& theme);

/// The same colour, see-through.
Colour faded(const Colour& colour, double alpha);

}  // namespace tidemark::picture
