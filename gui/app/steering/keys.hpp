/// What keys ask for, and the list of keys for people.
#pragma once

#include "gui/app/steering/navigation.hpp"

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace tidemark::gui {

/// Everything but moves through the recording and panes. Some commands have a button, too.
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

/// The pane in the tab with this number among those shown, from 0.
struct TabPlace {
  std::size_t place = 0;
};

using Asked = std::variant<Move, Command, TabPlace>;

/// The actions asked for in this ImGui frame, in order: by `keys`, GLFW's, pressed since the last
/// frame, and by typed characters. Keys without a meaning are left out.
std::vector<Asked> asked_by(const std::vector<int>& keys);

/// All keys and what they do, into the current popup.
void show_keys(const Look& look);

}  // namespace tidemark::gui
