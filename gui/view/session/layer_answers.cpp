#include "gui/view/session/layer_answers.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace tidemark::gui {
namespace {

std::span<const std::uint64_t> column_of(const std::vector<std::uint64_t>& bytes,
                                         std::size_t bands,
                                         std::size_t column) {
  return std::span(bytes).subspan(column * bands, bands);
}

/// The index of the column with the highest, or lowest, bands in [begin, end).
std::size_t extreme_of(const std::vector<std::uint64_t>& bytes,
                       std::size_t bands,
                       std::size_t begin,
                       std::size_t end,
                       bool is_highest) {
  const auto column = [&](std::size_t c) { return column_of(bytes, bands, c); };
  const auto sum = [](std::span<const std::uint64_t> parts) {
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
  };
  std::size_t best = begin;
  for (std::size_t c = begin + 1; c < end; ++c) {
    const bool is_better =
        is_highest ? sum(column(c)) > sum(column(best)) : sum(column(c)) < sum(column(best));
    best = is_better ? c : best;
  }
  return best;
}

std::size_t column_at(const ColumnSet& place, double x) {
  return static_cast<std::size_t>(std::max((x - place.range.begin) / place.column_width(), 0.0));
}

}  // namespace

picture::Bands bands_in_view(const LayerAnswer::Side& side,
                             std::vector<picture::Colour> colours,
                             const ViewRange& range,
                             std::size_t count,
                             const std::vector<picture::StackedColumn>& columns) {
  const std::size_t layers = colours.size();
  picture::Bands bands;
  if (!covers(side.place, range) || layers == 0 || side.bands.highest.empty()) {
    return bands;
  }
  bands.colours = std::move(colours);
  const std::size_t all = side.bands.highest.size() / layers;
  const bool is_same = has_exactly(side.place, range, count);
  const double each =
      is_same ? 1 : range.width() / static_cast<double>(count) / side.place.column_width();
  const double offset = (range.begin - side.place.range.begin) / side.place.column_width();
  const double first = is_same ? std::round(offset) : offset;
  const auto add = [&](std::vector<std::uint64_t>& to, std::span<const std::uint64_t> from,
                       std::uint64_t footprint) {
    to.insert(to.end(), from.begin(), from.end());
    analyzer::add_up_to(std::span(to).last(layers), footprint);
  };
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const double from = first + static_cast<double>(c) * each;
    const auto begin =
        static_cast<std::size_t>(std::clamp(std::floor(from), 0.0, static_cast<double>(all - 1)));
    const auto end = static_cast<std::size_t>(std::clamp(
        std::ceil(from + each), static_cast<double>(begin + 1), static_cast<double>(all)));
    const std::size_t highest = extreme_of(side.bands.highest, layers, begin, end, true);
    const std::size_t lowest = extreme_of(side.bands.lowest, layers, begin, end, false);
    add(bands.highest, column_of(side.bands.highest, layers, highest),
        columns[c].highest.footprint());
    add(bands.lowest, column_of(side.bands.lowest, layers, lowest), columns[c].lowest.footprint());
  }
  return bands;
}

std::vector<std::uint64_t> most_in_range(const LayerAnswer& answer, const ViewRange& range) {
  const std::size_t layers = answer.layers == nullptr ? 0 : answer.layers->size();
  std::vector<std::uint64_t> most;
  for (const LayerAnswer::Side& side : answer.sides) {
    if (layers == 0 || !covers(side.place, range)) {
      return {};
    }
    most.resize(layers);
    const std::size_t all = side.bands.highest.size() / layers;
    const double last = (range.end - side.place.range.begin) / side.place.column_width();
    const auto end = std::min(static_cast<std::size_t>(std::ceil(std::max(last, 0.0))), all);
    for (std::size_t c = column_at(side.place, range.begin); c < end; ++c) {
      for (std::size_t i = 0; i < layers; ++i) {
        most[i] = std::max(most[i], side.bands.highest[c * layers + i]);
      }
    }
  }
  return most;
}

std::vector<LayerAnswer::Then> held_at(const LayerAnswer& answer,
                                       double x,
                                       std::optional<double> chosen_x) {
  const std::size_t layers = answer.layers == nullptr ? 0 : answer.layers->size();
  std::vector<LayerAnswer::Then> held;
  for (const LayerAnswer::Side& side : answer.sides) {
    if (layers == 0 || !covers(side.place, {x, x})) {
      return {};
    }
    const std::size_t column = column_at(side.place, x);
    LayerAnswer::Then& then = held.emplace_back();
    if (column >= side.bands.highest_ns.size()) {
      continue;
    }
    if (side.chosen && chosen_x && column_at(side.place, *chosen_x) == column) {
      then = *side.chosen;
      continue;
    }
    const auto bytes = column_of(side.bands.highest, layers, column);
    then = {side.bands.highest_ns[column], {bytes.begin(), bytes.end()}};
  }
  return held;
}

}  // namespace tidemark::gui
