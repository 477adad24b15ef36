/// A message about what was done or went wrong.
#pragma once

#include "collector/trace/types/result.hpp"

#include <string>

namespace tidemark::gui {

struct Message {
  std::string text;             ///< A sentence; empty: nothing.
  bool is_trouble = false;      ///< It went wrong.
  bool is_of_removals = false;  ///< Outdated once something is ticked or unticked.
};

/// `done` if the status is ok, else its error.
inline Message message_of(const Status& status, const std::string& done) {
  return status.ok() ? Message{done} : Message{status.error().message, true};
}

}  // namespace tidemark::gui
