#include "analyzer/picture/graph.hpp"

#include "analyzer/picture/headline.hpp"
#include "analyzer/picture/layout.hpp"
#include "analyzer/picture/legend.hpp"
#include "analyzer/picture/panel.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/text_style.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace tidemark::picture {
namespace {

constexpr std::size_t kMaxShownPhaseRows = 2;
constexpr std::array kRoles{"before", "after"};

HighestValue highest_of(std::span<const Subject> subjects) {
  HighestValue highest;
  for (const Subject& subject : subjects) {
    highest.add(subject);
  }
  return highest;
}

/// Who it is, what it holds and how long it took; below that what is missing.
void draw_header(Pen& pen,
                 const PanelStyle& style,
                 const PanelLayout& layout,
                 const std::string& role,
                 const Subject& subject) {
  const Theme& theme = style.theme;
  const Box& box = layout.header;
  const double size = style.type.text;
  const double scale = style.type.scale;
  const double baseline = middle_baseline(box.y, box.bottom(), size);
  const Box facts =
      pen.text({size, theme.soft}, Anchor::kRight, {box.right(), baseline}, subject.facts_text());
  double x = box.x;
  if (!role.empty()) {
    x = pen.text({size, theme.ink, true}, Anchor::kLeft, {x, baseline}, role).right() + 8 * scale;
  }
  pen.text({size, theme.soft}, Anchor::kLeft, {x, baseline}, subject.command,
           facts.x - x - 12 * scale);
  if (!layout.warning.is_empty()) {
    const Box& line = layout.warning;
    const double small = style.type.small;
    pen.text({small, theme.warning, true}, Anchor::kLeft,
             {line.x, middle_baseline(line.y, line.bottom(), small)}, subject.warning, line.width);
  }
}

Theme theme_for(const GraphOptions& options) {
  const Theme& theme = options.dark ? dark_theme() : light_theme();
  return options.by == analyzer::LayerGrouping::kLane ? theme : with_layers(theme);
}

class Graph {
 public:
  Graph(std::span<const Subject> subjects, const GraphOptions& options, const MeasureText& measure)
      : subjects_(subjects),
        options_(options),
        theme_(theme_for(options)),
        type_(type_for(options.width, options.height)),
        pen_(scene_, measure),
        highest_(highest_of(subjects)) {
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
    choose_layers();
    layout_ = lay_out(contents(), type_);
    sizes_ = size_axis(highest_.value(), highest_.peak(), layout_.panels.front().plot, type_);
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      const auto borders = axis_.warps[i].borders(layout_.columns);
      analyzer::LoadedTrace& trace = *subjects_[i].trace;
      columns_.push_back(stacked_columns(trace, borders));
      bands_.push_back(layers_ ? layer_bands(*layers_, i, trace, borders, columns_[i])
                               : lane_bands(columns_[i], theme_));
      if (layers_) {
        bands_.back().colours = layer_colours(layers_->layers(), theme_);
      }
    }
    title();
    draw_legend(pen_, legend_, layout_.legend, type_, theme_);
    const PanelStyle style{theme_, type_,
                           sizes_, axis_.ticks,
                           {},     is_visible(subjects_, trace::Lane::kFile, highest_.value())};
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      panel(style, i);
    }
    if (subjects_.size() == 2) {
      draw_difference(pen_, style, layout_.difference_header, layout_.difference, columns_[0],
                      columns_[1]);
    }
    draw_time_axis(pen_, style, layout_.axis, scene_.width - 2 * type_.scale, axis_.caption);
    return std::move(scene_);
  }

 private:
  /// The layers of all subjects, and the legend.
  void choose_layers() {
    if (options_.by == analyzer::LayerGrouping::kLane) {
      legend_ = legend_entries(subjects_, theme_, highest_.value());
      names_.resize(trace::kFootprintLaneCount);
      return;
    }
    constexpr std::size_t kNameCharacters = 40;
    std::vector<analyzer::LayeredLoad> loads;
    for (const Subject& subject : subjects_) {
      loads.push_back(subject.layered());
    }
    const double room = legend_room(options_.width, type_);
    layers_.emplace(std::move(loads), options_.by, most_layers(options_.height, room, type_));
    const auto& layers = layers_->layers();
    for (const analyzer::FootprintLayer& layer : layers) {
      auto& names = names_.emplace_back();
      if (!layer.is_rest) {
        names = {layer.fitted(kNameCharacters), layer.short_text(kNameCharacters)};
      }
    }
    legend_ = layer_entries(layers, layer_colours(layers, theme_), pen_, type_, room);
    scene_.remark = analyzer::nothing_to_layer(options_.by, layers);
    if (!scene_.remark.empty()) {
      LegendEntry why{.text = scene_.remark, .colour = theme_.soft, .swatch = Swatch::kNone};
      if (legend_width(pen_, why, type_) > room) {
        why.text.resize(why.text.find(':'));  // what, and not why
      }
      legend_.push_back(std::move(why));
    }
    const auto lines = line_entries(subjects_, theme_, highest_.value());
    legend_.insert(legend_.end(), lines.begin(), lines.end());
  }

  [[nodiscard]] TextLook small(const Colour& colour) const { return {type_.small, colour}; }

  [[nodiscard]] Contents contents() const {
    Contents contents;
    contents.width = options_.width;
    contents.height = options_.height;
    for (const Subject& subject : subjects_) {
      contents.panels.push_back(
          {.has_warning = !subject.warning.empty(),
           .phase_rows = phase_rows(subject.phases, kMaxShownPhaseRows).size(),
           .has_progress = !subject.progress.empty()});
      contents.right_labels = std::max(contents.right_labels, model_labels(subject));
    }
    for (const LegendEntry& entry : legend_) {
      contents.legend.push_back(legend_width(pen_, entry, type_));
    }
    contents.left_labels = pen_.width_of(small(theme_.soft), "−512 MiB");
    contents.axis_rows = (axis_.ticks.empty() ? 0U : 1U) + (axis_.caption.empty() ? 0U : 1U);
    contents.has_difference = subjects_.size() == 2;
    return contents;
  }

  /// The width of the widest label of a multiple of W, with its gap.
  [[nodiscard]] double model_labels(const Subject& subject) const {
    double widest = 0;
    for (const std::uint64_t times :
         model_multiples(subject.model_bytes, highest_.value(), SIZE_MAX)) {
      widest = std::max(widest, pen_.width_of(small(theme_.ink), model_text(times)));
    }
    return widest;
  }

  void title() {
    const Box& box = layout_.title;
    const analyzer::TextStyle utf8{.utf8 = true};
    const std::string text =
        options_.title.empty() ? headline(subjects_) : analyzer::printable(utf8, options_.title);
    pen_.text({type_.title, theme_.ink, true}, Anchor::kLeft,
              {box.x, middle_baseline(box.y, box.bottom(), type_.title)}, text, box.width);
  }

  void panel(const PanelStyle& style, std::size_t i) {
    const PanelLayout& boxes = layout_.panels[i];
    const PanelTrace trace{subjects_[i], axis_.warps[i], columns_[i], &bands_[i]};
    draw_header(pen_, style, boxes, subjects_.size() == 2 ? kRoles.at(i) : "", subjects_[i]);
    draw_grid(pen_, style, boxes.plot);
    const auto resident =
        draw_curves(pen_, style, boxes.plot, trace, i == 1 ? columns_.data() : nullptr);
    draw_phases(pen_, style, boxes.phases, trace);
    draw_progress(pen_, style, boxes.progress, trace);
    const Box peak = draw_peak(pen_, style, boxes.plot, trace, {}, resident);
    draw_band_names(pen_, style, boxes.plot, trace, names_, peak);
  }

  std::span<const Subject> subjects_;
  const GraphOptions& options_;
  Theme theme_;
  Type type_;
  Scene scene_;
  Pen pen_;
  HighestValue highest_;
  Axis axis_;
  std::vector<LegendEntry> legend_;
  Layout layout_;
  SizeAxis sizes_;
  std::optional<analyzer::FootprintLayers> layers_;  ///< None: the lanes.
  std::vector<std::vector<std::string>> names_;      ///< Names to be written in the bands.
  std::vector<std::vector<StackedColumn>> columns_;  ///< By trace.
  std::vector<Bands> bands_;                         ///< The same.
};

}  // namespace

Result<Scene> draw_graph(std::span<const Subject> subjects,
                         const GraphOptions& options,
                         const MeasureText& measure) {
  return Graph(subjects, options, measure).draw();
}

}  // namespace tidemark::picture
