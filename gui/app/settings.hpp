/// What the window remembers between runs, in $XDG_CONFIG_HOME/tidemark/gui.json.
#pragma once

#include <string>
#include <vector>

namespace tidemark::gui {

struct Settings {
  bool dark = false;
  std::vector<std::string> recent;  ///< Absolute paths, the last opened first; at most ten.

  /// Puts `path` first in `recent`. A finished trace replaces its recording, which is gone.
  void remember(const std::string& path);
};

/// Defaults if there is no readable file.
Settings load_settings();

/// Best effort: errors are ignored, for example if the home cannot be written to.
void save_settings(const Settings& settings);

}  // namespace tidemark::gui
