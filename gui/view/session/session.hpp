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
  /// What 1 is on an axis of time.
  [[nodiscard]] std::uint64_t axis_ns() const;
  /// As narrow as a range makes sense: the clock counts nanoseconds.
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

  /// A range that somebody drags, see range_ends: by the marks of all traces.
  [[nodiscard]] ViewRange snapped(const ViewRange& range, double reach) const;

  /// @return why it cannot be; then nothing changes. Phases and bytes are not known before the
  /// facts have come.
  Status align(picture::Align align);
  /// What the state looks at in one of the traces.
  [[nodiscard]] Moment moment(std::size_t side, const ViewState& state) const;
  /// Takes what the workers have found. @return true when there was anything.
  bool update();
  /// Opens traces again that have grown. @return true when there was one.
  bool follow();
  /// True once what holds for the whole trace is known of all.
  [[nodiscard]] bool has_facts() const;
  [[nodiscard]] bool is_recording() const;
  /// True when one that was being recorded has got its final name, and nobody has followed it
  /// there.
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] bool is_idle() const;
  /// What the footprint in view is made of, of each trace: exact where it is known, and while the
  /// range moves as known last; one grey band until then, and none for lanes. Asked for, for where
  /// the range is going (`goal`).
  std::vector<picture::Bands> bands(analyzer::LayerGrouping by,
                                    const std::vector<std::vector<picture::StackedColumn>>& columns,
                                    const ViewRange& now,
                                    const ViewRange& goal,
                                    std::size_t count,
                                    const picture::Theme& theme);
  /// The place on the axis that somebody chose, from now on; none: there is none. What the layers
  /// hold there is asked for with their bands.
  void choose(std::optional<double> x) { chosen_ = x; }
  /// What is taken away of a trace from now on; null: nothing. Kept: it tells answers apart.
  void take_away(std::size_t side, std::shared_ptr<const analyzer::Removal> removal);
  [[nodiscard]] bool has_removal(std::size_t side) const { return removals_[side] != nullptr; }
  /// Where something is taken away, the columns of what is left, as `bands` has them: exact where
  /// it is known. None: nothing is taken away, or it is not known yet.
  [[nodiscard]] std::optional<std::vector<picture::StackedColumn>> remaining(
      std::size_t side, analyzer::LayerGrouping by, const ViewRange& now, std::size_t count) const;
  /// The peak of it; none as there.
  [[nodiscard]] std::optional<analyzer::RemainingPoint> remaining_peak(std::size_t side) const;

  /// Those of the bands, once they are known; null before.
  [[nodiscard]] std::shared_ptr<const std::vector<analyzer::FootprintLayer>> layers(
      analyzer::LayerGrouping by) const;
  /// See most_in_range; empty where it is not known.
  [[nodiscard]] std::vector<std::uint64_t> most_in_view(analyzer::LayerGrouping by,
                                                        const ViewRange& range) const;
  /// See `held_at` in layer_answers.hpp: in the columns of `range` where it has the place in it,
  /// else in those of the whole axis.
  [[nodiscard]] std::vector<LayerAnswer::Then> layers_at(analyzer::LayerGrouping by,
                                                         const ViewRange& range,
                                                         double x) const;
  /// Why there are no layers, in a sentence; empty where there are, or may still come.
  [[nodiscard]] std::string no_layers_text(analyzer::LayerGrouping by) const;

  /// As the traces have them.
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
  /// Of each trace; empty where none is chosen.
  [[nodiscard]] std::vector<std::uint64_t> chosen_ns() const;
  bool take_layers();
  void set_axis(picture::Align align, picture::Axis axis);

  ReadAs how_;
  std::function<void()> wake_;
  std::vector<std::unique_ptr<OpenTrace>> traces_;
  std::vector<picture::Subject> subjects_;
  picture::Align align_ = picture::Align::kTime;
  picture::Axis axis_;
  std::uint32_t axis_number_ = 0;  ///< Tells axes apart that came one after the other.
  std::vector<std::shared_ptr<const analyzer::Removal>> removals_;  // Of each trace.

  std::unique_ptr<LayerWorker> layer_worker_;
  /// Null until all facts have come.
  std::shared_ptr<const std::vector<picture::Subject>> layered_subjects_;
  std::shared_ptr<const LayerAnswer> layers_;          // What was answered last.
  std::shared_ptr<const LayerAnswer> layer_overview_;  // The last one of the whole axis.
  std::shared_ptr<const LayerAnswer> layer_trouble_;   // The last answer, where it failed.
  struct AskedLayers {
    analyzer::LayerGrouping by = analyzer::LayerGrouping::kFunction;
    ColumnSet place;  ///< Without columns.
    std::vector<std::uint64_t> chosen_ns;
  };
  std::optional<AskedLayers> asked_layers_;
  std::optional<double> chosen_;  // On the axis.
};

}  // namespace tidemark::gui
