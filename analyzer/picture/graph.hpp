/// The picture of one load, or of two to compare: traces in, a scene out.
#pragma once

#include "analyzer/layers/layer_keys.hpp"
#include "analyzer/picture/alignment.hpp"
#include "analyzer/picture/drawing/shapes.hpp"
#include "analyzer/picture/drawing/theme.hpp"
#include "analyzer/picture/subject.hpp"

#include <span>
#include <string>

namespace tidemark::picture {

struct GraphOptions {
  double width = 800;  ///< Pixels, from kMinWidthPixels up; so the height.
  double height = 450;
  bool dark = false;
  Align align = Align::kTime;
  analyzer::LayerGrouping by = analyzer::LayerGrouping::kLane;  ///< What the footprint is made of.
  std::string title;  ///< Empty: the peak, or how it changed.
};

constexpr double kMinWidthPixels = 320;
constexpr double kMinHeightPixels = 200;

/// One subject, or two: before and after. The same input gives the same scene.
///
/// Two are drawn below each other on common axes, the first one's footprint once more as a shadow
/// behind the second, and the difference of the columns' highest footprints under them. If the
/// footprint cannot be split into layers, `remark` says why there is one grey area.
/// @return kUsage when they cannot be aligned as asked for.
Result<Scene> draw_graph(std::span<const Subject> subjects,
                         const GraphOptions& options,
                         const MeasureText& measure);

}  // namespace tidemark::picture
