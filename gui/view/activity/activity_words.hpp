/// What the pane of threads and files says of a place in it.
#pragma once

#include "gui/view/activity/activity_layout.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

/// Lines of text, the first one a heading; empty if there is nothing to say.
/// @param span_ns begin and end of the pixel column under the pointer.
std::vector<std::string> activity_words(const ActivityInput& input,
                                        const ActivityPlace& place,
                                        std::pair<std::uint64_t, std::uint64_t> span_ns);

}  // namespace tidemark::gui
