#include "gui/view/timeline/minimap.hpp"

#include "analyzer/picture/drawing/pen.hpp"
#include "analyzer/picture/panel.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::gui {
namespace {

using picture::Box;
using picture::Part;

class MinimapPainter {
 public:
  MinimapPainter(picture::Scene& scene,
                 const MinimapInput& input,
                 const Box& place,
                 const Look& look)
      : pen_(scene, look.measure), input_(input), place_(place), look_(look), theme_(look.theme) {}

  void draw() {
    pen_.fill(Part::kBackdrop, picture::mixed(theme_.soft, theme_.background, 0.08), place_);
    for (std::size_t i = 0; i < input_.traces.size(); ++i) {
      // The load before is the shadow behind the one after.
      const bool is_behind = i + 1 < input_.traces.size();
      curve(input_.traces[i],
            picture::mixed(theme_.soft, theme_.background, is_behind ? 0.4 : 0.75));
    }
    for (const double note : input_.notes) {
      const double x = std::floor(x_of(note)) + 0.5;
      pen_.stroke(Part::kLegend, theme_.ink, 1, {{x, place_.y}, {x, place_.y + place_.height / 3}});
    }
    handle();
  }

 private:
  [[nodiscard]] double x_of(double at) const { return place_.x + at * place_.width; }

  void curve(const std::vector<picture::StackedColumn>& columns, const picture::Colour& colour) {
    if (columns.empty()) {
      return;
    }
    auto outline = picture::steps(place_, columns.size(), [&](std::size_t c) {
      const double share = static_cast<double>(columns[c].highest.footprint()) /
                           static_cast<double>(std::max<std::uint64_t>(input_.highest, 1));
      return place_.bottom() - std::min(share, 1.0) * (place_.height - 1);
    });
    outline.push_back({outline.back().x, place_.bottom()});
    outline.push_back({outline.front().x, place_.bottom()});
    pen_.fill(Part::kRange, colour, std::move(outline));
  }

  /// Fades what is not in view; keeps the edges visible at any zoom.
  void handle() {
    const double least = look_.px(4);
    const double begin = std::floor(x_of(input_.range.begin));
    const double end = std::max(std::ceil(x_of(input_.range.end)), begin + least);
    const picture::Colour veil = picture::faded(theme_.background, 0.5);
    pen_.fill(Part::kBackdrop, veil, Box{place_.x, place_.y, begin - place_.x, place_.height});
    pen_.fill(Part::kBackdrop, veil, Box{end, place_.y, place_.right() - end, place_.height});
    pen_.stroke(Part::kLegend, theme_.soft, 1, {{begin, place_.y + 0.5}, {end, place_.y + 0.5}});
    pen_.stroke(Part::kLegend, theme_.soft, 1,
                {{begin, place_.bottom() - 0.5}, {end, place_.bottom() - 0.5}});
    for (const double x : {begin, end}) {
      const double width = look_.px(3);
      pen_.fill(Part::kLegend, theme_.ink, Box{x - width / 2, place_.y, width, place_.height});
    }
  }

  picture::Pen pen_;
  const MinimapInput& input_;
  const Box& place_;
  const Look& look_;
  const picture::Theme& theme_;
};

}  // namespace

void draw_minimap(picture::Scene& scene,
                  const MinimapInput& input,
                  const picture::Box& place,
                  const Look& look) {
  MinimapPainter(scene, input, place, look).draw();
}

Grip grip_at(const ViewRange& range, double at, double reach) {
  const double inside = std::min(reach, range.width() / 3);
  if (at < range.begin - reach || at > range.end + reach) {
    return Grip::kBeside;
  }
  if (at <= range.begin + inside) {
    return Grip::kBegin;
  }
  return at >= range.end - inside ? Grip::kEnd : Grip::kMiddle;
}

ViewRange pulled(const ViewRange& range, Grip grip, double by, double narrowest) {
  switch (grip) {
    case Grip::kBegin:
      return {std::clamp(range.begin + by, 0.0, std::max(range.end - narrowest, 0.0)), range.end};
    case Grip::kEnd:
      return {range.begin, std::clamp(range.end + by, std::min(range.begin + narrowest, 1.0), 1.0)};
    case Grip::kMiddle:
      return panned(range, by);
    case Grip::kBeside:
      break;
  }
  return range;
}

}  // namespace tidemark::gui
