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
  /// The range in view, one column per pixel; fewer if the trace ends before it.
  std::vector<picture::StackedColumn> columns;
  picture::Bands bands;  ///< For the same columns; empty: draw the lanes.
  std::string note;      ///< Shown beside the command: OpenTrace::recording_text.
  /// If something is taken away: the columns as recorded, and the peak of what is left.
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
  std::uint64_t axis_ns = 1;  ///< The time that 1 stands for on an axis of time.
  ViewRange range;
  double height = 1;  ///< The part of the size axis in view, from zero up.
  bool overlaid = false;
  bool file_mappings = true;           ///< Drawn unless too low to be seen.
  std::optional<double> cursor;        ///< The chosen instant, on the axis.
  std::optional<ViewRange> selection;  ///< The chosen range.
  std::vector<TimelineNote> notes{};
  /// Puts what is missing from a trace in front of its command; false if it is said elsewhere.
  bool tells_loss = true;
};

}  // namespace tidemark::gui
