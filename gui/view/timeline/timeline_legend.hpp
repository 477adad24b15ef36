/// What the timeline's colours are.
#pragma once

#include "analyzer/picture/legend.hpp"
#include "gui/view/basics/look.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::gui {

struct LegendInput {
  std::span<const picture::Subject> subjects;
  analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;
  const std::vector<analyzer::FootprintLayer>* layers = nullptr;  ///< Null: not known.
  std::string no_layers;  ///< Why there are none, in a sentence; empty: they are being found.
  /// Of each layer, the most that it holds at any instant in view; empty: not known.
  std::vector<std::uint64_t> most_in_view{};
  /// An instant, `at 1.204 s`, that somebody chose, or of the column that is pointed at, and what
  /// each layer holds then, of each trace. Empty: the layers have what they hold at the peaks.
  std::string when{};
  std::vector<std::vector<std::uint64_t>> held{};
  /// Something is taken away of what is drawn, and not of the bytes that layers have here.
  bool is_as_recorded = false;
};

/// Of lanes the uppermost first; of layers, once they are known, of when their bytes are, what has
/// most in view, and what has no name last; then the lines.
std::vector<picture::LegendEntry> timeline_legend(const LegendInput& input,
                                                  const picture::Theme& theme);

/// Row below row from the place's upper edge, at most so many; what has no room is left out.
/// @return the height that it takes.
double draw_timeline_legend(picture::Scene& scene,
                            const LegendInput& input,
                            const picture::Box& place,
                            int most_rows,
                            const Look& look);

}  // namespace tidemark::gui
