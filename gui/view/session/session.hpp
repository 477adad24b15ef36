/// The traces of the window, one or two to compare, on their common axis.
#pragma once

#include "gui/view/session/open_trace.hpp"
#include "gui/view/session/view_state.hpp"

#include <functional>
#include <memory>
#include <string>
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
  [[nodiscard]] double x_of(std::size_t side, std::uint64_t ns) const {
    return axis_.warps[side].x_of(ns);
  }
  [[nodiscard]] std::uint64_t ns_at(std::size_t side, double x) const {
    return axis_.warps[side].ns_at(x);
  }

  /// @return why it cannot be; then nothing changes. Phases and bytes are not known before the
  /// facts have come.
  Status align(picture::Align align);
  /// What the state looks at in one of the traces.
  [[nodiscard]] Moment moment(std::size_t side, const ViewState& state) const;
  /// Takes what the workers have found. @return true when there was anything.
  bool update();
  /// Opens traces again that have grown. @return true when there was one.
  bool follow();
  [[nodiscard]] bool is_recording() const;
  [[nodiscard]] bool is_idle() const;
  /// As the traces have them.
  [[nodiscard]] const std::vector<picture::Subject>& subjects() const { return subjects_; }

 private:
  Session(ReadAs how, std::function<void()> wake) : how_(std::move(how)), wake_(std::move(wake)) {}
  void take_subjects();
  void set_axis(picture::Align align, picture::Axis axis);

  ReadAs how_;
  std::function<void()> wake_;
  std::vector<std::unique_ptr<OpenTrace>> traces_;
  std::vector<picture::Subject> subjects_;
  picture::Align align_ = picture::Align::kTime;
  picture::Axis axis_;
};

}  // namespace tidemark::gui
