/// The traces of the window, one or two to compare, on their common axis.
#pragma once

#include "gui/view/session/layer_worker.hpp"
#include "gui/view/session/open_trace.hpp"
#include "gui/view/session/view_state.hpp"
#include "gui/view/session/what_if.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

class Session {
 public:
  /// `wake`: see TraceWorker. `paths`: one or two.
  /// @return the reader's sentence for the first that cannot be read.
  static Result<std::unique_ptr<Session>> open(const std::vector<std::string>& paths,
                                               const ReadAs& how,
                                               std::function<void()> wake);

  [[nodiscard]] std::size_t size() const { return traces_.size(); }
  [[nodiscard]] OpenTrace& trace(std::size_t side) { return *traces_[side]; }
  [[nodiscard]] const OpenTrace& trace(std::size_t side) const { return *traces_[side]; }
  [[nodiscard]] const picture::Axis& axis() const { return axis_; }
  [[nodiscard]] picture::Align alignment() const { return align_; }
  /// The time that 1 stands for on an axis of time.
  [[nodiscard]] std::uint64_t axis_ns() const;
  /// The narrowest sensible range, as the clock counts nanoseconds.
  [[nodiscard]] double narrowest() const {
    constexpr double kNanoseconds = 64;
    return std::min(kNanoseconds / static_cast<double>(axis_ns()), 1.0);
  }
  [[nodiscard]] double x_of(std::size_t side, std::uint64_t ns) const {
    return axis_.warps[side].x_of(ns);
  }
  [[nodiscard]] std::uint64_t ns_at(std::size_t side, double x) const {
    return axis_.warps[side].ns_at(x);
  }

  /// Snaps a dragged range to the marks of all traces: see range_ends.
  [[nodiscard]] ViewRange snapped(const ViewRange& range, double reach) const;

  /// @return why it is not possible; then nothing changes. Phases and bytes are unknown until the
  /// facts have come.
  Status align(picture::Align align);
  /// The instant or range that `state` selects in one of the traces.
  [[nodiscard]] Moment moment(std::size_t side, const ViewState& state) const;
  /// Takes the workers' answers. @return true if there were any.
  bool update();
  /// Reopens traces that have grown. @return true if there was one.
  bool follow();
  /// True once the facts of all traces are known.
  [[nodiscard]] bool has_facts() const;
  [[nodiscard]] bool is_recording() const;
  /// True if a recording has got its final name and `follow` has not reopened it yet.
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] bool is_idle() const;
  /// For each trace, what the footprint in view is made of: exact where known, from the last answer
  /// while the range moves, one grey band until there is an answer; no bands for lanes. Asks for
  /// those of `goal`, where the range is going.
  std::vector<picture::Bands> bands(analyzer::LayerGrouping by,
                                    const std::vector<std::vector<picture::StackedColumn>>& columns,
                                    const ViewRange& now,
                                    const ViewRange& goal,
                                    std::size_t count,
                                    const picture::Theme& theme);
  /// Sets the chosen place on the axis; none: nothing is chosen. `bands` also asks what the layers
  /// hold there.
  void choose(std::optional<double> x) { chosen_ = x; }
  /// Sets what is taken away from a trace; null: nothing. Kept alive, as answers are distinguished
  /// by it.
  void take_away(std::size_t side, std::shared_ptr<const analyzer::Removal> removal);
  [[nodiscard]] bool has_removal(std::size_t side) const { return removals_[side] != nullptr; }
  /// The columns that are left after taking away, from the answer that `bands` draws. None if
  /// nothing is taken away, or they are not known yet.
  [[nodiscard]] std::optional<std::vector<picture::StackedColumn>> remaining(
      std::size_t side, analyzer::LayerGrouping by, const ViewRange& now, std::size_t count) const;
  /// The peak of what is left; none in the same cases.
  [[nodiscard]] std::optional<analyzer::RemainingPoint> remaining_peak(std::size_t side) const;

  /// The layers that the bands show; null until known.
  [[nodiscard]] std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers(
      analyzer::LayerGrouping by) const;
  /// See most_in_range; empty until known.
  [[nodiscard]] std::vector<std::uint64_t> most_in_view(analyzer::LayerGrouping by,
                                                        const ViewRange& range) const;
  /// See `held_at` in layer_answers.hpp: from the columns of `range` if the place is in it, else
  /// from those of the whole axis.
  [[nodiscard]] std::vector<LayerAnswer::Then> layers_at(analyzer::LayerGrouping by,
                                                         const ViewRange& range,
                                                         double x) const;
  /// A sentence why there are no layers; empty if there are, or they may still come.
  [[nodiscard]] std::string no_layers_text(analyzer::LayerGrouping by) const;

  /// By trace, as it has its own.
  [[nodiscard]] const std::vector<picture::Subject>& subjects() const { return subjects_; }

 private:
  Session(ReadAs how, std::function<void()> wake) : how_(std::move(how)), wake_(std::move(wake)) {}
  void take_subjects();
  void start_layers();
  void forget_layers();
  [[nodiscard]] bool has_any_removal() const;
  [[nodiscard]] const LayerAnswer* answer_for(analyzer::LayerGrouping by,
                                              const ViewRange& range) const;
  void ask_layers(analyzer::LayerGrouping by, const ViewRange& range, std::size_t count);
  /// By trace; empty if nothing is chosen.
  [[nodiscard]] std::vector<std::uint64_t> chosen_ns() const;
  bool take_layers();
  void set_axis(picture::Align align, picture::Axis axis);

  ReadAs how_;
  std::function<void()> wake_;
  std::vector<std::unique_ptr<OpenTrace>> traces_;
  std::vector<picture::Subject> subjects_;
  picture::Align align_ = picture::Align::kTime;
  picture::Axis axis_;
  std::uint32_t axis_number_ = 0;  ///< Distinguishes successive axes.
  std::vector<std::shared_ptr<const analyzer::Removal>> removals_;  // By trace.

  std::unique_ptr<LayerWorker> layer_worker_;
  /// Null until all facts have come.
  std::shared_ptr<const std::vector<picture::Subject>> layered_subjects_;
  std::shared_ptr<const LayerAnswer> layers_;          // The last answer.
  std::shared_ptr<const LayerAnswer> layer_overview_;  // The last for the whole axis.
  std::shared_ptr<const LayerAnswer> layer_trouble_;   // The last answer, if it failed.
  struct AskedLayers {
    analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;
    ColumnSet place;  ///< Without columns.
    std::vector<std::uint64_t> chosen_ns;
  };
  std::optional<AskedLayers> asked_layers_;
  std::optional<double> chosen_;  // On the axis.
};

}  // namespace tidemark::gui
