/// What is said of what was done.
#pragma once

#include "collector/trace/types/result.hpp"

#include <string>

namespace tidemark::gui {

struct Message {
  std::string text;             ///< A sentence; empty: nothing.
  bool is_trouble = false;      ///< It went wrong.
  bool is_of_removals = false;  ///< True only until something is ticked or unticked.
};

/// `done` where it went well.
inline Message message_of(const Status& status, const std::string& done) {
  return status.ok() ? Message{done} : Message{status.error().message, true};
}

}  // namespace tidemark::gui
