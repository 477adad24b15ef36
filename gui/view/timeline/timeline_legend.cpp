#include "gui/view/timeline/timeline_legend.hpp"

#include "analyzer/picture/panel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace tidemark::gui {

namespace {

/// Indices of layers in the legend's order. If equal, the upper one comes first.
std::vector<std::size_t> in_order(const LegendInput& input) {
  std::vector<std::size_t> order(input.layers->size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const std::uint64_t most = i < input.most_in_view.size() ? input.most_in_view[i] : 0;
    return std::pair((*input.layers)[i].is_rest, ~most);
  });
  return order;
}

picture::LegendEntry instant_entry(std::string text, const picture::Theme& theme) {
  return {.text = std::move(text), .colour = theme.soft, .swatch = picture::Swatch::kNone};
}

std::string peaks_text(const LegendInput& input) {
  return input.subjects.size() == 2 ? "at the peaks" : "at the peak";
}

/// Adds an entry for the instant, then the layers with their bytes.
void add_layers(const LegendInput& input,
                const picture::Theme& theme,
                std::vector<picture::LegendEntry>& entries) {
  constexpr std::size_t kNameCharacters = 36;
  const bool has_instant = input.held.size() == input.layers->size() && !input.held.empty();
  if (!input.layers->empty()) {
    const std::string recorded = input.is_as_recorded && !has_instant ? ", as recorded" : "";
    entries.push_back(
        instant_entry((has_instant ? input.when : peaks_text(input)) + recorded, theme));
  }
  const auto colours = picture::layer_colours(*input.layers, theme);
  const auto names = analyzer::fitted_texts(*input.layers, kNameCharacters);
  for (const std::size_t i : in_order(input)) {
    const analyzer::FootprintLayer& layer = (*input.layers)[i];
    entries.push_back({.text = names[i],
                       .colour = colours[i],
                       .value = picture::bytes_text(has_instant ? input.held[i] : layer.at_peak)});
  }
}

}  // namespace

std::vector<picture::LegendEntry> timeline_legend(const LegendInput& input,
                                                  const picture::Theme& theme) {
  picture::HighestValue highest;
  for (const picture::Subject& subject : input.subjects) {
    highest.add(subject);
  }
  if (input.by == analyzer::LayerGrouping::kLane) {
    auto lanes = picture::lane_entries(input.subjects, theme, highest.value());
    if (!lanes.empty()) {
      lanes.insert(lanes.begin(), instant_entry(peaks_text(input), theme));
    }
    const auto lines = picture::line_entries(input.subjects, theme, highest.value());
    lanes.insert(lanes.end(), lines.begin(), lines.end());
    return lanes;
  }
  std::vector<picture::LegendEntry> entries;
  if (!input.no_layers.empty() || input.layers == nullptr) {
    entries.push_back(
        instant_entry(input.no_layers.empty() ? "computing ..." : input.no_layers, theme));
  }
  if (input.layers != nullptr) {
    add_layers(input, theme, entries);
  }
  const auto lines =
      picture::line_entries(input.subjects, picture::with_layers(theme), highest.value());
  entries.insert(entries.end(), lines.begin(), lines.end());
  return entries;
}

double draw_timeline_legend(picture::Scene& scene,
                            const LegendInput& input,
                            const picture::Box& place,
                            int most_rows,
                            const Look& look) {
  picture::Pen pen(scene, look.measure);
  const auto entries = timeline_legend(input, look.theme);
  const double height = std::round(look.type.text * 1.55);
  std::vector<picture::Point> places;
  picture::Point at{place.x, place.y + height / 2};
  int rows = 1;
  for (const picture::LegendEntry& entry : entries) {
    const double width = picture::legend_width(pen, entry, look.type);
    if (at.x + width > place.right() && at.x > place.x && rows < most_rows) {
      at = {place.x, at.y + height};
      ++rows;
    }
    if (at.x + width > place.right() + 1) {
      break;
    }
    places.push_back(at);
    at.x += width;
  }
  picture::draw_legend(pen, entries, places, look.type, look.theme);
  return height * rows;
}

}  // namespace tidemark::gui
