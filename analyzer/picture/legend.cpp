#include "analyzer/picture/legend.hpp"

#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::picture {
namespace {

constexpr double kSwatchWidth = 14;
constexpr double kSwatchHeight = 9;
constexpr double kSwatchGap = 5;
constexpr double kEntryGap = 16;
constexpr double kValueGap = 8;

void draw_swatch(Pen& pen, const LegendEntry& entry, Point at, double scale) {
  const Box box{at.x, at.y - kSwatchHeight * scale / 2, kSwatchWidth * scale,
                kSwatchHeight * scale};
  if (entry.swatch == Swatch::kNone) {
    return;
  }
  if (entry.swatch == Swatch::kArea) {
    pen.fill(Part::kLegend, entry.colour, box);
    return;
  }
  const bool is_mapped = entry.swatch == Swatch::kMapped;
  if (is_mapped) {
    pen.fill(Part::kLegend, faded(entry.colour, Theme::kMapped), box, true);
  }
  const double y = is_mapped ? box.y : at.y;
  pen.stroke(Part::kLegend, entry.colour, 1.4 * scale, {{box.x, y}, {box.right(), y}});
}

/// Layers are in a grid, so that names and their bytes can be compared.
double cells_in(double width, const Type& type) {
  constexpr double kMinCell = 370;
  return std::max(std::floor(width / (kMinCell * type.scale)), 1.0);
}

/// Where its text begins, from the entry's left.
double text_offset(const LegendEntry& entry, const Type& type) {
  return entry.swatch == Swatch::kNone ? 0 : (kSwatchWidth + kSwatchGap) * type.scale;
}

double needed_width(const Pen& pen, const LegendEntry& entry, const Type& type) {
  const TextLook look{type.small, entry.colour};
  const double value =
      entry.value.empty() ? 0 : pen.width_of(look, entry.value) + kValueGap * type.scale;
  return text_offset(entry, type) + pen.width_of(look, entry.text) + value + kEntryGap * type.scale;
}

}  // namespace

bool is_visible(std::span<const Subject> subjects, trace::Lane lane, std::uint64_t highest) {
  constexpr std::uint64_t kVisiblePart = 300;  // About a pixel.
  return std::ranges::any_of(subjects, [&](const Subject& subject) {
    return subject.lane_peaks[lane] > highest / kVisiblePart;
  });
}

std::vector<LegendEntry> lane_entries(std::span<const Subject> subjects,
                                      const Theme& theme,
                                      std::uint64_t highest) {
  std::vector<LegendEntry> entries;
  for (const trace::Lane lane : trace::kFootprintLanes) {
    if (is_visible(subjects, lane, highest)) {
      std::vector<std::uint64_t> at_peaks;
      for (const Subject& subject : subjects) {
        at_peaks.push_back(subject.peak_lanes[lane]);
      }
      entries.push_back({.text = trace::info_of(lane).title,
                         .colour = theme.lane(lane),
                         .value = bytes_text(at_peaks)});
    }
  }
  return entries;
}

std::vector<LegendEntry> legend_entries(std::span<const Subject> subjects,
                                        const Theme& theme,
                                        std::uint64_t highest) {
  std::vector<LegendEntry> entries = lane_entries(subjects, theme, highest);
  for (LegendEntry& entry : entries) {
    entry.value.clear();
  }
  const auto lines = line_entries(subjects, theme, highest);
  entries.insert(entries.end(), lines.begin(), lines.end());
  return entries;
}

std::vector<LegendEntry> line_entries(std::span<const Subject> subjects,
                                      const Theme& theme,
                                      std::uint64_t highest) {
  std::vector<LegendEntry> entries;
  const trace::Lane file = trace::Lane::kFile;
  if (is_visible(subjects, file, highest)) {
    entries.push_back({.text = trace::info_of(file).title,
                       .colour = theme.lane(file),
                       .swatch = Swatch::kMapped});
  }
  if (std::ranges::any_of(subjects, [](const Subject& s) { return !s.resident.empty(); })) {
    entries.push_back({.text = "RSS (sampled)", .colour = theme.resident, .swatch = Swatch::kLine});
  }
  if (subjects.size() == 2) {
    entries.push_back({.text = "footprint before", .colour = faded(theme.other, Theme::kShadow)});
  }
  return entries;
}

std::string bytes_text(std::span<const std::uint64_t> bytes) {
  std::string text;
  for (const std::uint64_t each : bytes) {
    text += (text.empty() ? "" : " → ") + analyzer::format_size(each);
  }
  return text;
}

std::size_t most_layers(double height, double width, const Type& type) {
  constexpr double kLegendPart = 6;
  constexpr double kRow = 1.45;
  const double rows = std::max(std::floor(height / kLegendPart / (kRow * type.small)), 1.0);
  const auto entries = static_cast<std::size_t>(rows * cells_in(width, type));
  return std::clamp<std::size_t>(entries - 1, 1, analyzer::FootprintLayers::kMaxLayers);
}

std::vector<LegendEntry> layer_entries(const std::vector<analyzer::FootprintLayer>& layers,
                                       const std::vector<Colour>& colours,
                                       const Pen& pen,
                                       const Type& type,
                                       double width) {
  constexpr std::size_t kMaxCharacters = 70;
  constexpr std::size_t kMinCharacters = 12;
  std::vector<LegendEntry> entries;
  // In the order in which they are layered, the uppermost first.
  for (std::size_t i = layers.size(); i-- > 0;) {
    const analyzer::FootprintLayer& layer = layers[i];
    const std::string value = bytes_text(layer.at_peak);
    if (layer.is_rest && value.find_first_of("123456789") == std::string::npos) {
      continue;
    }
    LegendEntry entry{
        .text = {}, .colour = colours[i], .value = value, .width = width / cells_in(width, type)};
    std::size_t characters = kMaxCharacters;
    do {
      entry.text = layer.fitted(characters--);
    } while (characters > kMinCharacters && needed_width(pen, entry, type) > entry.width);
    if (needed_width(pen, entry, type) > entry.width) {
      entry.value.clear();
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

double legend_width(const Pen& pen, const LegendEntry& entry, const Type& type) {
  return entry.width > 0 ? entry.width : needed_width(pen, entry, type);
}

void draw_legend(Pen& pen,
                 const std::vector<LegendEntry>& entries,
                 const std::vector<Point>& places,
                 const Type& type,
                 const Theme& theme) {
  for (std::size_t i = 0; i < std::min(entries.size(), places.size()); ++i) {
    draw_swatch(pen, entries[i], places[i], type.scale);
    const double baseline = middle_baseline(places[i].y, places[i].y, type.small);
    const bool has_value = !entries[i].value.empty();
    const Box text =
        pen.text({type.small, has_value ? theme.ink : theme.soft}, Anchor::kLeft,
                 {places[i].x + text_offset(entries[i], type), baseline}, entries[i].text);
    if (has_value) {
      pen.text({type.small, theme.soft}, Anchor::kLeft,
               {text.right() + kValueGap * type.scale, baseline}, entries[i].value);
    }
  }
}

}  // namespace tidemark::picture
