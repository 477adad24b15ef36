/// What the timeline is drawn from.
#pragma once

#include "analyzer/picture/alignment.hpp"
#include "analyzer/picture/bands.hpp"
#include "analyzer/picture/stacked_columns.hpp"
#include "analyzer/picture/subject.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "gui/view/basics/view_range.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::gui {

struct TimelineTrace {
  const picture::Subject* subject = nullptr;  ///< Borrowed; never null. Its `trace` is not used.
  /// Of the range in view, one a pixel; fewer where the trace ends first.
  std::vector<picture::StackedColumn> columns;
  picture::Bands bands;  ///< Of the same columns; none: the lanes.
  std::string note;      ///< Beside the command: OpenTrace::recording_text.
  /// Where something is taken away: the columns as they were recorded, and the peak of those that
  /// are left.
  std::vector<picture::StackedColumn> recorded{};
  std::optional<analyzer::RemainingPoint> remaining_peak{};
};

/// What a person wrote at an instant.
struct TimelineNote {
  std::size_t trace = 0;
  double x = 0;  ///< On the axis.
  std::string text;
};

/// What the timeline shows. All stays borrowed while it is drawn.
struct TimelineInput {
  std::span<const TimelineTrace> traces;  ///< One, or before and after.
  const picture::Axis* axis = nullptr;    ///< Over the whole of the traces.
  picture::Align align = picture::Align::kTime;
  std::uint64_t axis_ns = 1;  ///< What 1 on an axis of time is.
  ViewRange range;
  double height = 1;  ///< The part of the size axis that is in view, from the ground up.
  bool overlaid = false;
  bool file_mappings = true;           ///< Shown where they can be seen.
  std::optional<double> cursor;        ///< The instant that is looked at, on the axis.
  std::optional<ViewRange> selection;  ///< The range that is looked at.
  std::vector<TimelineNote> notes{};
  /// What is missing from a trace stands in front of its command; not where that is said above.
  bool tells_loss = true;
};

}  // namespace tidemark::gui
