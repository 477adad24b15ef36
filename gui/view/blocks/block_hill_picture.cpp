#include "gui/view/blocks/block_hill_picture.hpp"

#include "analyzer/picture/panel.hpp"
#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::gui {
namespace {

/// Some columns of a band, and what of them is within it everywhere.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  double top = 0;
  double bottom = 0;
};

/// One band of a hill.
class HillBand {
 public:
  HillBand(const Hill& hill, std::size_t band, const HillPlace& place)
      : bands_(hill.bands), band_(band), place_(place) {}

  [[nodiscard]] std::size_t columns() const {
    return bands_.highest.size() / std::max<std::size_t>(bands_.size(), 1);
  }
  [[nodiscard]] std::uint64_t bytes(std::size_t column) const {
    return bands_.highest[column * bands_.size() + band_];
  }
  [[nodiscard]] double bottom(std::size_t column) const { return edge(column, band_); }
  [[nodiscard]] double top(std::size_t column) const { return edge(column, band_ + 1); }

  [[nodiscard]] std::vector<picture::Point> outline() const {
    auto points = picture::steps(place_.place, columns(), [this](std::size_t c) { return top(c); });
    const auto ground =
        picture::steps(place_.place, columns(), [this](std::size_t c) { return bottom(c); });
    points.insert(points.end(), ground.rbegin(), ground.rend());
    return points;
  }

  [[nodiscard]] std::size_t highest_column() const {
    std::size_t highest = 0;
    for (std::size_t c = 0; c < columns(); ++c) {
      highest = bytes(c) > bytes(highest) ? c : highest;
    }
    return highest;
  }

  /// Around a column, as far as the band stays nearly as high, and its ground nearly level.
  [[nodiscard]] Stretch level_around(std::size_t middle) const {
    const auto is_level = [&](std::size_t c) {
      return bytes(c) >= bytes(middle) / 4 * 3 &&
             std::abs(bottom(c) - bottom(middle)) < place_.look.type.small;
    };
    Stretch found{middle, middle, place_.place.y, place_.place.bottom()};
    while (found.begin > 0 && is_level(found.begin - 1)) {
      --found.begin;
    }
    while (found.end < columns() && is_level(found.end)) {
      ++found.end;
    }
    for (std::size_t c = found.begin; c < found.end; ++c) {
      found.top = std::max(found.top, top(c));
      found.bottom = std::min(found.bottom, bottom(c));
    }
    return found;
  }

 private:
  [[nodiscard]] double edge(std::size_t column, std::size_t bands) const {
    const std::uint64_t bytes =
        place_.heights[column] + bands_.up_to(bands_.highest, column, bands);
    const double share = static_cast<double>(bytes) / static_cast<double>(place_.highest);
    return place_.place.bottom() - std::min(share, 1.0) * place_.place.height;
  }

  const picture::Bands& bands_;
  std::size_t band_;
  const HillPlace& place_;
};

void draw_label(picture::Pen& pen,
                const HillPlace& place,
                const Stretch& room,
                const picture::Colour& colour,
                const std::string& text) {
  const picture::TextLook look{place.look.type.small, picture::ink_on(colour)};
  const double width = static_cast<double>(room.end - room.begin) - place.look.px(10);
  if (room.bottom - room.top >= 1.3 * look.size && width >= place.look.px(50)) {
    pen.text(look, picture::Anchor::kMiddle,
             {place.place.x + static_cast<double>(room.begin + room.end) / 2,
              picture::middle_baseline(room.top, room.bottom, look.size)},
             text, width);
  }
}

}  // namespace

void draw_hill(picture::Pen& pen, const Hill& hill, const HillPlace& place) {
  for (std::size_t i = 0; i < hill.bands.size(); ++i) {
    const HillBand band(hill, i, place);
    const picture::Colour& colour = hill.bands.colours[i];
    pen.fill(picture::Part::kRange, colour, band.outline());
    const std::size_t highest = band.highest_column();
    if (band.columns() > 0 && band.bytes(highest) > 0) {
      draw_label(pen, place, band.level_around(highest), colour,
                 hill.names[i] + "  " + analyzer::format_size(band.bytes(highest)));
    }
  }
}

}  // namespace tidemark::gui
