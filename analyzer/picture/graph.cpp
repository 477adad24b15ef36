#include "analyzer/picture/graph.hpp"

#include "analyzer/picture/curves.hpp"
#include "analyzer/picture/headline.hpp"
#include "analyzer/picture/layout.hpp"
#include "analyzer/picture/legend.hpp"
#include "analyzer/picture/panel.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/text_style.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tidemark::picture {
namespace {

constexpr std::size_t kMostPhaseRows = 2;
constexpr std::array kRoles{"before", "after"};

/// The highest value that any panel shows. File mappings count only as far as they leave the
/// footprint room: a program may map far more than it ever touches.
std::uint64_t highest_value(std::span<const Subject> subjects) {
  constexpr std::uint64_t kMostTimes = 4;
  std::uint64_t highest = 1;
  std::uint64_t mapped = 0;
  for (const Subject& subject : subjects) {
    highest = std::max({highest, subject.peak_bytes, subject.model_bytes, subject.resident_peak()});
    mapped = std::max(mapped, subject.lane_peaks[trace::Lane::kFile]);
  }
  const bool is_too_high = mapped / kMostTimes > highest;
  return is_too_high ? highest * kMostTimes : std::max(highest, mapped);
}

/// What the second trace holds more than the first, column by column, in bytes.
using Differences = std::vector<double>;

class Graph {
 public:
  Graph(std::span<const Subject> subjects, const GraphOptions& options, const MeasureText& measure)
      : subjects_(subjects),
        options_(options),
        theme_(options.dark ? dark_theme() : light_theme()),
        type_(type_for(options.width, options.height)),
        pen_(scene_, measure),
        highest_(highest_value(subjects)) {
    scene_.width = options.width;
    scene_.height = options.height;
    scene_.background = theme_.background;
  }

  Result<Scene> draw() {
    const auto most_ticks = static_cast<std::size_t>(options_.width / (95 * type_.scale));
    auto axis = align(subjects_, options_.align, most_ticks);
    if (!axis.ok()) {
      return axis.error();
    }
    axis_ = std::move(axis.value());
    legend_ = legend_entries(subjects_, theme_, highest_);
    layout_ = lay_out(contents(), type_);
    sizes_ = size_axis();
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      curves_.push_back(curves_of(subjects_[i], axis_.warps[i], layout_.columns));
    }
    title();
    draw_legend(pen_, legend_, layout_.legend, type_, theme_);
    panels();
    difference();
    time_axis();
    return std::move(scene_);
  }

 private:
  [[nodiscard]] TextLook small(const Colour& colour) const { return {type_.small, colour}; }

  [[nodiscard]] Contents contents() const {
    Contents contents;
    contents.width = options_.width;
    contents.height = options_.height;
    for (const Subject& subject : subjects_) {
      contents.panels.push_back({.has_warning = !subject.warning.empty(),
                                 .phase_rows = phase_rows(subject.phases, kMostPhaseRows).size(),
                                 .has_progress = !subject.progress.empty()});
      contents.right_labels = std::max(contents.right_labels, model_labels(subject));
    }
    for (const LegendEntry& entry : legend_) {
      contents.legend.push_back(legend_width(pen_, entry, type_));
    }
    contents.left_labels = pen_.width_of(small(theme_.soft), "1023 MiB");
    contents.axis_rows = (axis_.ticks.empty() ? 0U : 1U) + (axis_.caption.empty() ? 0U : 1U);
    contents.has_difference = subjects_.size() == 2;
    return contents;
  }

  /// The width of the widest label of a multiple of W, with its gap.
  [[nodiscard]] double model_labels(const Subject& subject) const {
    double widest = 0;
    for (const std::uint64_t times : model_multiples(subject.model_bytes, highest_, SIZE_MAX)) {
      widest = std::max(widest, pen_.width_of(small(theme_.ink), model_text(times)));
    }
    return widest;
  }

  /// Above the highest value there is room for the label of a peak.
  [[nodiscard]] SizeAxis size_axis() const {
    const double height = layout_.panels.front().plot.height;
    const double headroom = std::min(type_.text + 9 * type_.scale, height / 2);
    const auto most = static_cast<std::size_t>((height - headroom) / (2.2 * type_.small));
    return {highest_, static_cast<double>(highest_) * height / (height - headroom),
            size_ticks(highest_, std::clamp<std::size_t>(most, 1, 6))};
  }

  void title() {
    const Box& box = layout_.title;
    const analyzer::TextStyle utf8{.utf8 = true};
    const std::string text =
        options_.title.empty() ? headline(subjects_) : analyzer::printable(utf8, options_.title);
    pen_.text({type_.title, theme_.ink, true}, Anchor::kLeft,
              {box.x, middle_baseline(box.y, box.bottom(), type_.title)}, text, box.width);
  }

  void panels() {
    const PanelStyle style{theme_, type_, sizes_, axis_.ticks,
                           is_visible(subjects_, trace::Lane::kFile, highest_)};
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      const std::string role = subjects_.size() == 2 ? kRoles.at(i) : "";
      draw_panel(pen_, style, layout_.panels[i], role, subjects_[i], axis_.warps[i], curves_[i],
                 {i == 1 ? &curves_[0] : nullptr});
    }
  }

  /// Of the columns that both traces reach.
  [[nodiscard]] Differences differences() const {
    const auto& before = curves_[0].columns;
    const auto& after = curves_[1].columns;
    Differences differences;
    for (std::size_t c = 0; c < std::min(before.size(), after.size()); ++c) {
      differences.push_back(static_cast<double>(after[c].highest.footprint()) -
                            static_cast<double>(before[c].highest.footprint()));
    }
    return differences;
  }

  void difference() {
    if (layout_.difference.is_empty()) {
      return;
    }
    const Differences all = differences();
    const double most = std::max(*std::ranges::max_element(all), 0.0);
    const double least = std::min(*std::ranges::min_element(all), 0.0);
    const Box& header = layout_.difference_header;
    pen_.text(small(theme_.soft), Anchor::kLeft,
              {header.x, middle_baseline(header.y, header.bottom(), type_.small)},
              difference_text(least, most), header.width);
    difference_areas(all, least, most);
  }

  void difference_areas(const Differences& all, double least, double most) {
    const Box& box = layout_.difference;
    for (const AxisTick& tick : axis_.ticks) {
      const double x = std::floor(box.x + tick.x * box.width) + 0.5;
      pen_.stroke(Part::kGrid, theme_.grid, 1, {{x, box.y}, {x, box.bottom()}});
    }
    const double unit = box.height / std::max(most - least, 1.0);
    const double zero = std::round(box.y + most * unit);
    const auto area = [&](const Colour& colour, double low, double high) {
      const auto edge = steps(box, all.size(), [&](std::size_t c) {
        return std::clamp(zero - std::clamp(all[c], low, high) * unit, box.y, box.bottom());
      });
      pen_.fill(Part::kDifference, colour, closed(edge, zero));
    };
    area(theme_.more, 0, most);
    area(theme_.less, least, 0);
    const double line = std::min(zero, box.bottom() - 1) + 0.5;
    pen_.stroke(Part::kGrid, theme_.soft, 1, {{box.x, line}, {box.right(), line}});
  }

  /// A label that would touch the one before it, or leave the picture, gives way.
  void time_axis() {
    const Box& box = layout_.axis;
    const double row = box.height / std::max(1.0, static_cast<double>(contents().axis_rows));
    double taken = 0;
    for (const AxisTick& tick : axis_.ticks) {
      const double width = pen_.width_of(small(theme_.soft), tick.text);
      const double x =
          std::min(box.x + tick.x * box.width - width / 2, scene_.width - width - 2 * type_.scale);
      if (x >= taken) {
        pen_.text(small(theme_.soft), Anchor::kLeft,
                  {x, middle_baseline(box.y, box.y + row, type_.small)}, tick.text);
        taken = x + width + 6 * type_.scale;
      }
    }
    pen_.text(
        small(theme_.soft), Anchor::kMiddle,
        {box.x + box.width / 2, middle_baseline(box.bottom() - row, box.bottom(), type_.small)},
        axis_.caption, box.width);
  }

  std::span<const Subject> subjects_;
  const GraphOptions& options_;
  const Theme& theme_;
  Type type_;
  Scene scene_;
  Pen pen_;
  std::uint64_t highest_;
  Axis axis_;
  std::vector<LegendEntry> legend_;
  Layout layout_;
  SizeAxis sizes_;
  std::vector<Curves> curves_;
};

}  // namespace

Result<Scene> draw_graph(std::span<const Subject> subjects,
                         const GraphOptions& options,
                         const MeasureText& measure) {
  return Graph(subjects, options, measure).draw();
}

}  // namespace tidemark::picture
