/// Where in the pane the rows of files, threads and phases are, and what is under the pointer.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "analyzer/picture/subject.hpp"
#include "analyzer/picture/warp.hpp"
#include "gui/view/activity/activity.hpp"
#include "gui/view/basics/look.hpp"
#include "gui/view/basics/view_range.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

struct ActivityInput {
  const Activity* activity = nullptr;         ///< This and the next two are borrowed.
  const picture::Subject* subject = nullptr;  ///< For its phases.
  const picture::Warp* warp = nullptr;
  ViewRange range;
  double left = 0;         ///< Where the timeline's plots begin: rows share its axis.
  double scrolled = 0;     ///< Pixels scrolled out at the top.
  bool all_files = false;  ///< Small ones too get a row each. Likewise the next.
  bool all_threads = false;

  bool operator==(const ActivityInput&) const = default;
};

/// Reads that are one bar on the screen, or a phase.
struct ActivityBar {
  picture::Box box;
  ReadStretch reads;                   ///< For a phase, only its times are set.
  std::optional<std::size_t> phase{};  ///< Index into the subject's phases.
};

struct ActivityLane {
  enum class Kind : std::uint8_t { kBars, kAllocations };
  Kind kind = Kind::kBars;
  picture::Box box;
  std::vector<ActivityBar> bars{};  ///< By their beginning.
};

/// The pane decides what a click on it does.
struct ActivityRow {
  enum class Kind : std::uint8_t { kHeading, kFile, kMoreFiles, kThread, kIdle, kPhase };
  Kind kind = Kind::kHeading;
  std::size_t index = 0;  ///< Into the activity's files or threads; the first of folded ones.
  picture::Box box;       ///< The visible part; the name is at its upper edge.
  std::string name{};
  std::string facts{};  ///< Who reads it, how fast; behind the name.
  std::vector<ActivityLane> lanes{};
};

/// The rows that overlap the place they are laid out in, with the lanes that lie wholly inside it.
struct ActivityLayout {
  std::vector<ActivityRow> rows;
  double height = 0;  ///< The height of all rows, also those out of sight.
};

ActivityLayout lay_out_activity(const ActivityInput& input,
                                const picture::Box& place,
                                const Look& look);

/// Caches the last layout until any of its inputs changes.
class KeptActivityLayout {
 public:
  /// Valid until the next call. Call `forget` when the activity is destroyed: another one may get
  /// its address.
  const ActivityLayout& of(const ActivityInput& input, const picture::Box& place, const Look& look);
  void forget() { made_.reset(); }

 private:
  using Made = std::pair<ActivityInput, std::array<double, 6>>;

  // What it was made of: see `of`.
  std::optional<Made> made_;
  std::vector<analyzer::Phase> phases_;
  std::vector<picture::Warp::Knot> knots_;
  ActivityLayout layout_;
};

/// What is at a point. Borrowed from the layout; null if there is none.
struct ActivityPlace {
  const ActivityRow* row = nullptr;
  const ActivityLane* lane = nullptr;
  const ActivityBar* bar = nullptr;
};
ActivityPlace activity_at(const ActivityLayout& layout, const picture::Point& at);

/// `a.bin`: a path's last part.
std::string short_path(const std::string& path);

/// `160.0 MiB, ≥ 2.10 GiB/s`, with `about` for a guess; `160.0 MiB mapped` for mappings.
std::string reads_text(const ReadStretch& reads);

}  // namespace tidemark::gui
