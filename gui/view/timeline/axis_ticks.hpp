/// Round numbers for the part of the horizontal axis that is in view.
#pragma once

#include "analyzer/picture/alignment.hpp"
#include "analyzer/text/time_text.hpp"
#include "gui/view/basics/view_range.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

using analyzer::begin_to_end;
using analyzer::precise_time;

/// `from 4.965 s to 5.068 s, 103 ms`.
std::string range_text(std::uint64_t begin_ns, std::uint64_t end_ns);

/// Ticks in view, x in shares of the whole axis. On an axis of time at most `most`; else the ticks
/// of `axis` in view.
std::vector<picture::AxisTick> ticks_in_view(const picture::Axis& axis,
                                             picture::Align align,
                                             const ViewRange& range,
                                             std::uint64_t axis_ns,
                                             std::size_t most);

}  // namespace tidemark::gui
