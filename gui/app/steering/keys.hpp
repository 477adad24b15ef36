/// What keys ask for, and the list that says so.
#pragma once

#include "gui/app/steering/navigation.hpp"

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace tidemark::gui {

/// What is neither a way through the recording nor a pane. Some have a button, too.
enum class Command : std::uint8_t {
  kOpen,
  kExport,
  kFind,
  kNote,
  kKeys,
  kEscape,
  kTheme,
  kOverlay,
  kOtherSide,
  kSaveView,
  kTakeAway,
  kPutAllBack,
  kSaveWhatIf,
  kLargestBlock
};

/// The pane whose tab has this place among those that are shown, from 0.
struct TabPlace {
  std::size_t place = 0;
};

using Asked = std::variant<Move, Command, TabPlace>;

/// What is asked for in this ImGui frame, in order: by `keys`, GLFW's, which went down since the
/// last one, and by what was typed. What means nothing is left out.
std::vector<Asked> asked_by(const std::vector<int>& keys);

/// All keys and what they do, into the current popup.
void show_keys(const Look& look);

}  // namespace tidemark::gui
