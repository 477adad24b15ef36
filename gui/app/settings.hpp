/// What the window remembers from one time to the next, in $XDG_CONFIG_HOME/tidemark/gui.json.
#pragma once

#include <string>
#include <vector>

namespace tidemark::gui {

struct Settings {
  bool dark = false;
  std::vector<std::string> recent;  ///< Absolute paths, the last opened first; at most ten.

  /// The last opened. A finished trace takes the place of its recording, which is gone.
  void remember(const std::string& path);
};

/// Defaults where there is no file, or none that can be read.
Settings load_settings();

/// Best effort: a home that cannot be written to is no reason to disturb anybody.
void save_settings(const Settings& settings);

}  // namespace tidemark::gui
