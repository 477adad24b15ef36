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
  const Activity* activity = nullptr;         ///< Borrowed. So the next two.
  const picture::Subject* subject = nullptr;  ///< For its phases.
  const picture::Warp* warp = nullptr;
  ViewRange range;
  double left = 0;         ///< Where the timeline's plots begin: the rows are on its axis.
  double scrolled = 0;     ///< Pixels that have left at the top.
  bool all_files = false;  ///< Small ones, too, each in a row of its own. So the next.
  bool all_threads = false;

  bool operator==(const ActivityInput&) const = default;
};

/// Reads that are one bar on the screen, or a phase.
struct ActivityBar {
  picture::Box box;
  ReadStretch reads;                   ///< Of a phase only its time.
  std::optional<std::size_t> phase{};  ///< Of the subject's.
};

struct ActivityLane {
  enum class Kind : std::uint8_t { kBars, kAllocations };
  Kind kind = Kind::kBars;
  picture::Box box;
  std::vector<ActivityBar> bars{};  ///< By their beginning.
};

/// What a click on it does is the pane's affair.
struct ActivityRow {
  enum class Kind : std::uint8_t { kHeading, kFile, kMoreFiles, kThread, kIdle, kPhase };
  Kind kind = Kind::kHeading;
  std::size_t index = 0;  ///< Of the activity's files or threads; of folded ones the first.
  picture::Box box;       ///< As far as it is in sight. The name stands at its upper edge.
  std::string name{};
  std::string facts{};  ///< Who reads it, how fast; behind the name.
  std::vector<ActivityLane> lanes{};
};

/// Rows that reach into their place, with the lanes that are whole in it.
struct ActivityLayout {
  std::vector<ActivityRow> rows;
  double height = 0;  ///< Of all rows there are.
};

ActivityLayout lay_out_activity(const ActivityInput& input,
                                const picture::Box& place,
                                const Look& look);

/// The layout that was made last, for as long as nothing that it is made of changes.
class KeptActivityLayout {
 public:
  /// Stays until the next call. Where an activity is gone and another one may have its address, say
  /// so by `forget`.
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

/// What lies at a point. Borrowed from the layout; null: nothing of that kind.
struct ActivityPlace {
  const ActivityRow* row = nullptr;
  const ActivityLane* lane = nullptr;
  const ActivityBar* bar = nullptr;
};
ActivityPlace activity_at(const ActivityLayout& layout, const picture::Point& at);

/// `a.bin`: a path's last part.
std::string short_path(const std::string& path);

/// `160.0 MiB, ≥ 2.10 GiB/s`; `about` where it is a guess; of mappings `160.0 MiB mapped`.
std::string reads_text(const ReadStretch& reads);

}  // namespace tidemark::gui
