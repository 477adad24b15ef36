#include "analyzer/picture/panel.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tidemark::picture {
namespace {

/// A stretch of one column or of several: from `top` down to `bottom`, in pixels.
struct Stretch {
  double top = 0;
  double bottom = 0;

  [[nodiscard]] double height() const { return bottom - top; }
};

struct Place {
  std::size_t first = 0;  ///< Column.
  Stretch free;
};

class NamePlaces {
 public:
  NamePlaces(const PanelStyle& style, const Box& plot, const PanelTrace& trace, const Box& taken)
      : style_(style),
        plot_(plot),
        bands_(*trace.bands),
        taken_(taken),
        columns_(trace.columns.size()) {
    note_resident(trace);
    const std::uint64_t model = trace.subject.model_bytes;
    for (const std::uint64_t times : model_multiples(model, style.sizes.highest, SIZE_MAX)) {
      model_lines_.push_back(y_of(static_cast<double>(times * model)));
    }
  }

  /// Where `columns` columns of a band leave the most height; none for a shorter band.
  [[nodiscard]] std::optional<Place> highest(std::size_t band, std::size_t columns) const {
    constexpr std::size_t kStep = 4;
    std::optional<Place> best;
    for (std::size_t first = 0; first + columns <= columns_; first += kStep) {
      const Stretch free = free_at(band, first, first + columns);
      if (!best || free.height() > best->free.height()) {
        best = {first, free};
      }
    }
    return best;
  }

 private:
  [[nodiscard]] double y_of(double bytes) const { return style_.sizes.y_of(plot_, bytes); }
  [[nodiscard]] double edge_at(std::size_t column, std::size_t count) const {
    return y_of(static_cast<double>(bands_.up_to(bands_.lowest, column, count)));
  }

  /// A sample holds until the next one.
  void note_resident(const PanelTrace& trace) {
    const auto& samples = trace.subject.resident;
    if (samples.empty()) {
      return;
    }
    resident_.resize(columns_, {plot_.bottom(), plot_.y});
    std::size_t next = 0;
    double y = plot_.bottom();
    for (std::size_t c = 0; c < columns_; ++c) {
      const double share = static_cast<double>(c + 1) / plot_.width;
      const std::uint64_t end_ns = trace.warp.ns_at(style_.range.x_at(share));
      resident_[c] = {y, y};
      for (; next < samples.size() && samples[next].at_ns < end_ns; ++next) {
        y = y_of(static_cast<double>(samples[next].total()));
        resident_[c] = {std::min(resident_[c].top, y), std::max(resident_[c].bottom, y)};
      }
    }
  }

  /// The part of a band that is free from one column to another.
  [[nodiscard]] Stretch free_at(std::size_t band, std::size_t first, std::size_t end) const {
    Stretch room{plot_.y, plot_.bottom()};
    Stretch resident{plot_.bottom(), plot_.y};
    for (std::size_t c = first; c < end && room.height() > 0; ++c) {
      room.top = std::max(room.top, edge_at(c, band + 1));
      room.bottom = std::min(room.bottom, edge_at(c, band));
      if (!resident_.empty()) {
        resident.top = std::min(resident.top, resident_[c].top);
        resident.bottom = std::max(resident.bottom, resident_[c].bottom);
      }
    }
    std::vector<Stretch> lines;
    const double half = 1.5 * style_.type.scale;
    if (resident.height() >= 0) {
      lines.push_back({resident.top - half, resident.bottom + half});
    }
    for (const double y : model_lines_) {
      lines.push_back({y - half, y + half});
    }
    if (plot_.x + static_cast<double>(first) < taken_.right() &&
        plot_.x + static_cast<double>(end) > taken_.x) {
      lines.push_back({taken_.y, taken_.bottom()});
    }
    return largest_gap(room, std::move(lines));
  }

  static Stretch largest_gap(const Stretch& room, std::vector<Stretch> lines) {
    std::ranges::sort(lines, {}, &Stretch::top);
    lines.push_back({room.bottom, room.bottom});
    Stretch best{room.top, room.top};
    double top = room.top;
    for (const Stretch& line : lines) {
      const Stretch gap{top, std::min(line.top, room.bottom)};
      best = gap.height() > best.height() ? gap : best;
      top = std::max(top, line.bottom);
    }
    return best;
  }

  const PanelStyle& style_;
  const Box& plot_;
  const Bands& bands_;
  const Box& taken_;
  std::size_t columns_;
  std::vector<Stretch> resident_;  // By column; empty: no samples.
  std::vector<double> model_lines_;
};

}  // namespace

void draw_band_names(Pen& pen,
                     const PanelStyle& style,
                     const Box& plot,
                     const PanelTrace& trace,
                     std::span<const std::vector<std::string>> names,
                     const Box& taken) {
  const NamePlaces places(style, plot, trace, taken);
  for (std::size_t band = 0; band < names.size(); ++band) {
    const TextLook look{style.type.small, ink_on(trace.bands->colours[band])};
    const double pad = 5 * style.type.scale;
    for (const std::string& name : names[band]) {
      const double width = std::ceil(pen.width_of(look, name) + 2 * pad);
      const auto place = places.highest(band, static_cast<std::size_t>(width));
      if (place && place->free.height() >= 1.25 * look.size) {
        pen.text(look, Anchor::kLeft,
                 {plot.x + static_cast<double>(place->first) + pad,
                  middle_baseline(place->free.top, place->free.bottom, look.size)},
                 name);
        break;
      }
    }
  }
}

}  // namespace tidemark::picture
