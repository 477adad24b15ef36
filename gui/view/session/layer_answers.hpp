/// The question what the footprint in view is made of, and its answer.
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

/// The columns of one trace, like ColumnQuestion.
struct LayerRange {
  ColumnSet wanted;  ///< With the exact columns; without any, they are found first.
  std::vector<std::uint64_t> borders;
};

struct LayerQuestion {
  analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;
  /// Facts about the traces; their `trace` is null.
  std::shared_ptr<const std::vector<picture::Subject>> subjects;
  std::vector<LayerRange> ranges;  ///< By trace.
  /// By trace: what is taken away from it; null: nothing. Empty: nothing from any.
  std::vector<std::shared_ptr<const analyzer::Removal>> removals{};
  /// By trace: the chosen instant; empty: none is chosen.
  std::vector<std::uint64_t> chosen_ns{};

  [[nodiscard]] const analyzer::Removal* removal(std::size_t side) const {
    return side < removals.size() ? removals[side].get() : nullptr;
  }
};

/// The layers of all traces in the window, or a sentence why there are none. Shared objects never
/// change.
struct LayerAnswer {
  /// What each layer holds at an instant of the recording; adds up to the footprint then.
  struct Then {
    std::uint64_t at_ns = 0;
    std::vector<std::uint64_t> bytes;
  };

  analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;
  std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers;
  struct Side {
    ColumnSet place;       ///< Without columns.
    picture::Bands bands;  ///< Exact, without colours; none for kLane: columns have the lanes.
    /// If something is taken away, the exact columns of the rest; else without columns.
    ColumnSet remaining{};
    std::optional<analyzer::RemainingPoint> peak{};  ///< The peak of the rest.
    /// At the chosen instant; none if something is taken away.
    std::optional<Then> chosen{};
  };
  std::vector<Side> sides;
  std::vector<std::shared_ptr<const analyzer::Removal>> removals{};  ///< As in the question.
  std::string error;  ///< If set, only `by` is set beside it.

  [[nodiscard]] bool is_of_whole_axis() const {
    return !sides.empty() && sides.front().place.range == ViewRange{};
  }
};

/// The bands of `columns`, which lie over `range`. Each takes the bands of the highest and of the
/// lowest column of `side` that it touches, cut to its own footprint: exact if the columns are
/// the same. Empty if `side` does not cover the range.
picture::Bands bands_in_view(const LayerAnswer::Side& side,
                             std::vector<picture::Colour> colours,
                             const ViewRange& range,
                             std::size_t count,
                             const std::vector<picture::StackedColumn>& columns);

/// For each layer, the most that it holds in any trace in the columns that touch `range`. Empty if
/// the answer does not cover the range.
std::vector<std::uint64_t> most_in_range(const LayerAnswer& answer, const ViewRange& range);

/// For each trace, what the layers hold in the column at a place on the axis: at the chosen instant
/// `chosen_x` if that is in this column and known, else when the column's footprint is highest;
/// without bytes after the trace's end. Empty if the answer does not cover the place.
std::vector<LayerAnswer::Then> held_at(const LayerAnswer& answer,
                                       double x,
                                       std::optional<double> chosen_x);

}  // namespace tidemark::gui
