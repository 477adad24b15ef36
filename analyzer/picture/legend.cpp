#include "analyzer/picture/legend.hpp"

#include <algorithm>

namespace tidemark::picture {
namespace {

constexpr double kSwatchWidth = 14;
constexpr double kSwatchHeight = 9;
constexpr double kSwatchGap = 5;
constexpr double kEntryGap = 16;

void draw_swatch(Pen& pen, const LegendEntry& entry, Point at, double scale) {
  const Box box{at.x, at.y - kSwatchHeight * scale / 2, kSwatchWidth * scale,
                kSwatchHeight * scale};
  if (entry.swatch == Swatch::kArea || entry.swatch == Swatch::kHatched) {
    pen.fill(Part::kLegend, entry.colour, box, entry.swatch == Swatch::kHatched);
    return;
  }
  pen.stroke(Part::kLegend, entry.colour, 1.4 * scale, {{box.x, at.y}, {box.right(), at.y}});
}

}  // namespace

bool is_visible(std::span<const Subject> subjects, trace::Lane lane, std::uint64_t highest) {
  constexpr std::uint64_t kVisiblePart = 300;  // About a pixel.
  return std::ranges::any_of(subjects, [&](const Subject& subject) {
    return subject.lane_peaks[lane] > highest / kVisiblePart;
  });
}

std::vector<LegendEntry> legend_entries(std::span<const Subject> subjects,
                                        const Theme& theme,
                                        std::uint64_t highest) {
  std::vector<LegendEntry> entries;
  for (const trace::Lane lane : trace::kShownLanes) {
    const trace::LaneInfo& info = trace::info_of(lane);
    if (is_visible(subjects, lane, highest)) {
      entries.push_back(
          {info.title, theme.lane(lane), info.in_footprint ? Swatch::kArea : Swatch::kHatched});
    }
  }
  if (std::ranges::any_of(subjects, [](const Subject& s) { return !s.resident.empty(); })) {
    entries.push_back({"RSS (sampled)", theme.resident, Swatch::kLine});
  }
  if (subjects.size() == 2) {
    entries.push_back({"footprint before", faded(theme.other, Theme::kShadow), Swatch::kArea});
  }
  return entries;
}

double legend_width(const Pen& pen, const LegendEntry& entry, const Type& type) {
  return (kSwatchWidth + kSwatchGap + kEntryGap) * type.scale +
         pen.width_of({type.small, entry.colour}, entry.text);
}

void draw_legend(Pen& pen,
                 const std::vector<LegendEntry>& entries,
                 const std::vector<Point>& places,
                 const Type& type,
                 const Theme& theme) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    draw_swatch(pen, entries[i], places[i], type.scale);
    pen.text({type.small, theme.soft}, Anchor::kLeft,
             {places[i].x + (kSwatchWidth + kSwatchGap) * type.scale,
              middle_baseline(places[i].y, places[i].y, type.small)},
             entries[i].text);
  }
}

}  // namespace tidemark::picture
