/// What the footprint in view is made of: what the window asks, and what it is told.
#pragma once

#include "analyzer/layers/footprint_layers.hpp"
#include "analyzer/picture/bands.hpp"
#include "analyzer/picture/subject.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "gui/view/timeline/column_set.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

/// The columns of one trace, as ColumnQuestion has them.
struct LayerRange {
  ColumnSet wanted;  ///< With the exact columns; without any, they are found out first.
  std::vector<std::uint64_t> borders;
};

struct LayerQuestion {
  analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;
  /// What is known of the traces; their `trace` is null.
  std::shared_ptr<const std::vector<picture::Subject>> subjects;
  std::vector<LayerRange> ranges;  ///< Of each trace.
  /// What is taken away of each trace, null for nothing; empty: of none.
  std::vector<std::shared_ptr<const analyzer::Removal>> removals{};
  /// The instant that somebody chose, of each trace; empty: none.
  std::vector<std::uint64_t> chosen_ns{};

  [[nodiscard]] const analyzer::Removal* removal(std::size_t side) const {
    return side < removals.size() ? removals[side].get() : nullptr;
  }
};

/// The layers of all traces in the window, or a sentence why there are none. Shared ones never
/// change any more.
struct LayerAnswer {
  /// What each layer holds at an instant, since the start of the recording: they add up to the
  /// footprint of then.
  struct Then {
    std::uint64_t at_ns = 0;
    std::vector<std::uint64_t> bytes;
  };

  analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;
  std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers;
  struct Side {
    ColumnSet place;       ///< Without columns.
    picture::Bands bands;  ///< Exact; without colours. None of kLane: lanes are columns.
    /// What is left of it where something is taken away, exact; else without columns.
    ColumnSet remaining{};
    std::optional<analyzer::RemainingPoint> peak{};  ///< The highest of it.
    /// At the instant that was chosen; none where something is taken away.
    std::optional<Then> chosen{};
  };
  std::vector<Side> sides;
  std::vector<std::shared_ptr<const analyzer::Removal>> removals{};  ///< As they were asked for.
  std::string error;  ///< Then there is nothing else but `by`.

  [[nodiscard]] bool is_of_whole_axis() const {
    return !sides.empty() && sides.front().place.range == ViewRange{};
  }
};

/// The bands of `columns`, which lie over `range`: those of the columns of `side` that they touch,
/// so exact where these are the same, and elsewhere those of the highest and of the lowest among
/// them; always up to the columns' own footprints. Empty where `side` does not cover the range.
picture::Bands bands_in_view(const LayerAnswer::Side& side,
                             std::vector<picture::Colour> colours,
                             const ViewRange& range,
                             std::size_t count,
                             const std::vector<picture::StackedColumn>& columns);

/// Of each layer, the most that it has in a column that touches `range`, of any trace. Empty where
/// the answer does not cover the range.
std::vector<std::uint64_t> most_in_range(const LayerAnswer& answer, const ViewRange& range);

/// What the layers hold at a place on the axis, of each trace: at the chosen instant `chosen_x`
/// where that lies in the column there and is known, else where the footprint is highest in that
/// column; without bytes behind a trace's end. Empty where the answer does not cover the place.
std::vector<LayerAnswer::Then> held_at(const LayerAnswer& answer,
                                       double x,
                                       std::optional<double> chosen_x);

}  // namespace tidemark::gui
