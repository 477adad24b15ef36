#include "gui/view/blocks/block_hill_picture.hpp"

#include "analyzer/picture/panel.hpp"
#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tidemark::gui {
namespace {

/// Some columns of a band, and the heights that are inside it in all of them.
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

  /// The column in [begin, end) where it holds most.
  [[nodiscard]] std::size_t highest_column(std::size_t begin, std::size_t end) const {
    std::size_t highest = begin;
    for (std::size_t c = begin; c < end; ++c) {
      highest = bytes(c) > bytes(highest) ? c : highest;
    }
    return highest;
  }

  /// Finds room for its name: around its maximum, or else the widest part in which it holds at
  /// least half of that, since a large band may have a very short maximum.
  [[nodiscard]] Stretch room(const std::function<bool(const Stretch&)>& has_room) const {
    const std::size_t highest = highest_column(0, columns());
    Stretch best = level_around(highest);
    if (has_room(best)) {
      return best;
    }
    for (std::size_t c = 0; c < columns();) {
      const Stretch found = bytes(c) < bytes(highest) / 2 ? Stretch{c, c + 1} : level_around(c);
      const bool is_wider = found.end - found.begin > best.end - best.begin || !has_room(best);
      best = has_room(found) && is_wider ? found : best;
      c = std::max(found.end, c + 1);
    }
    return best;
  }

  /// The columns around `middle` in which the band is nearly as high and its ground nearly level.
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

double text_width(const Stretch& room, const Look& look) {
  return static_cast<double>(room.end - room.begin) - look.px(10);
}

void draw_label(picture::Pen& pen,
                const HillPlace& place,
                const Hill& hill,
                const HillBand& band,
                std::size_t number) {
  const auto has_room = [&](const Stretch& room) {
    return room.bottom - room.top >= 1.3 * place.look.type.small &&
           text_width(room, place.look) >= place.look.px(50);
  };
  const Stretch room = band.room(has_room);
  if (has_room(room)) {
    const std::uint64_t most = band.bytes(band.highest_column(room.begin, room.end));
    const picture::TextLook look{place.look.type.small,
                                 picture::ink_on(hill.bands.colours[number])};
    pen.text(look, picture::Anchor::kMiddle,
             {place.place.x + static_cast<double>(room.begin + room.end) / 2,
              picture::middle_baseline(room.top, room.bottom, look.size)},
             hill.names[number] + "  " + analyzer::format_size(most), text_width(room, place.look));
  }
}

}  // namespace

void draw_hill(picture::Pen& pen, const Hill& hill, const HillPlace& place) {
  for (std::size_t i = 0; i < hill.bands.size(); ++i) {
    const HillBand band(hill, i, place);
    const picture::Colour& colour = hill.bands.colours[i];
    pen.fill(picture::Part::kRange, colour, band.outline());
    if (band.columns() > 0 && band.bytes(band.highest_column(0, band.columns())) > 0) {
      draw_label(pen, place, hill, band, i);
    }
  }
}

}  // namespace tidemark::gui
