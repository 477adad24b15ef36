/// The timeline with its pointer and keys.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/view/timeline/timeline_legend.hpp"
#include "gui/view/timeline/timeline_picture.hpp"

#include <optional>
#include <vector>

namespace tidemark::gui {

/// The legend of the timeline's colours. Borrowed until the session's next update.
/// @param pointed_at a place on the axis that overrides the chosen instant.
LegendInput legend_of(const Desk& desk, std::optional<double> pointed_at);

class TimelinePane {
 public:
  /// Draws into the rest of the current ImGui child, and takes its input.
  void show(const Desk& desk);
  /// Where on the axis the pointer was in the last frame; none if it was outside the timeline.
  [[nodiscard]] std::optional<double> pointed_at() const { return pointed_at_; }
  /// The timeline as a picture for a file, with its legend.
  picture::Scene picture(const Desk& desk,
                         const picture::MeasureText& measure,
                         double width,
                         double height);

 private:
  [[nodiscard]] std::vector<TimelineTrace> traces(const Desk& desk, std::size_t columns) const;
  [[nodiscard]] TimelineInput input(const Desk& desk,
                                    const std::vector<TimelineTrace>& traces) const;
  void take_input(const Desk& desk, const TimelineLayout& layout);
  void take_drag(const Desk& desk, double x, const picture::Box& plot);
  void tell(const Desk& desk,
            const std::vector<TimelineTrace>& traces,
            const TimelineLayout& layout);
  static void crosshair(const Desk& desk, const TimelineLayout& layout, double x);
  static void tell_side(const Desk& desk,
                        std::size_t side,
                        const TimelineTrace& trace,
                        std::size_t column,
                        std::uint64_t ns,
                        const LayerAnswer::Then* then);
  static void tell_notes(const Desk& desk, double x, const TimelineLayout& layout);
  static void tell_extremes(const Desk& desk,
                            const picture::StackedColumn& column,
                            std::uint64_t footprint);
  static void tell_layers(const Desk& desk,
                          const TimelineTrace& trace,
                          std::size_t column,
                          const LayerAnswer::Then* then);

  std::optional<double> anchor_;  // Where on the axis the button went down.
  std::optional<double> pointed_at_;
  bool selecting_ = false;
  bool dragged_ = false;
};

}  // namespace tidemark::gui
