#include "gui/view/timeline/timeline_difference.hpp"

#include "analyzer/picture/headline.hpp"
#include "analyzer/picture/panel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tidemark::gui {
namespace {

using picture::Anchor;
using picture::Box;
using picture::Part;

/// What the second trace holds more than the first, of the columns that both reach.
std::vector<double> differences(std::span<const TimelineTrace> traces) {
  const auto& before = traces[0].columns;
  const auto& after = traces[1].columns;
  std::vector<double> found;
  for (std::size_t c = 0; c < std::min(before.size(), after.size()); ++c) {
    found.push_back(static_cast<double>(after[c].highest.footprint()) -
                    static_cast<double>(before[c].highest.footprint()));
  }
  return found;
}

}  // namespace

void draw_difference(picture::Pen& pen,
                     std::span<const TimelineTrace> traces,
                     const TimelineLayout& layout,
                     const Look& look) {
  if (layout.difference.is_empty()) {
    return;
  }
  const auto all = differences(traces);
  const double most = all.empty() ? 0 : std::max(*std::ranges::max_element(all), 0.0);
  const double least = all.empty() ? 0 : std::min(*std::ranges::min_element(all), 0.0);
  const Box& header = layout.difference_header;
  pen.text({look.type.small, look.theme.soft}, Anchor::kLeft,
           {header.x, picture::middle_baseline(header.y, header.bottom(), look.type.small)},
           picture::difference_text(least, most), header.width);
  const Box& box = layout.difference;
  const double unit = box.height / std::max(most - least, 1.0);
  const double zero = std::round(box.y + most * unit);
  const auto area = [&](const picture::Colour& colour, double low, double high) {
    const auto edge = picture::steps(box, all.size(), [&](std::size_t c) {
      return std::clamp(zero - std::clamp(all[c], low, high) * unit, box.y, box.bottom());
    });
    pen.fill(Part::kDifference, colour, picture::closed(edge, zero));
  };
  area(look.theme.more, 0, most);
  area(look.theme.less, least, 0);
  const double line = std::min(zero, box.bottom() - 1) + 0.5;
  pen.stroke(Part::kGrid, look.theme.soft, 1, {{box.x, line}, {box.right(), line}});
}

}  // namespace tidemark::gui
