/// What the pane of threads and files says of a place in it.
#pragma once

#include "gui/view/activity/activity_layout.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

/// Lines, the first of which is what the rest is about; empty where there is nothing to be said.
/// @param span_ns the time that the pixel under the pointer is wide.
std::vector<std::string> activity_words(const ActivityInput& input,
                                        const ActivityPlace& place,
                                        std::pair<std::uint64_t, std::uint64_t> span_ns);

}  // namespace tidemark::gui
