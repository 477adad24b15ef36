/// The legend of the timeline's colours.
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
  const std::vector<analyzer::FootprintLayer>* layers = nullptr;  ///< Null: not known yet.
  std::string no_layers;  ///< A sentence why there are no layers; empty: being found.
  /// By layer: the most that it holds at any instant in view; empty: not known.
  std::vector<std::uint64_t> most_in_view{};
  /// The chosen instant or that of the column pointed at, `at 1.204 s`, and by layer what it holds
  /// then in each trace. Empty: the legend gives what layers hold at the peaks.
  std::string when{};
  std::vector<std::vector<std::uint64_t>> held{};
  /// Something is taken away from the timeline, but not from the bytes in this legend.
  bool is_as_recorded = false;
};

/// Lanes: with what they hold at the peaks, the uppermost first. Layers, once known: first an entry
/// for the instant of their bytes, then the layers, most bytes in view first and nameless ones
/// last. Then the lines.
std::vector<picture::LegendEntry> timeline_legend(const LegendInput& input,
                                                  const picture::Theme& theme);

/// Draws at most `most_rows` rows from the place's upper edge down; entries without room are left
/// out. @return the height that it takes.
double draw_timeline_legend(picture::Scene& scene,
                            const LegendInput& input,
                            const picture::Box& place,
                            int most_rows,
                            const Look& look);

}  // namespace tidemark::gui
