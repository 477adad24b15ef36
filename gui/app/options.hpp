/// The command line of tidemark-gui.
#pragma once

#include "collector/trace/types/result.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tidemark::gui {

struct Options {
  std::vector<std::string> files;  ///< None, one, or before and after.
  std::string screenshot;          ///< PNG to write instead of showing a window; empty: a window.
  int width = 1600;
  int height = 900;
  bool has_size = false;
  std::string state;            ///< File of a saved view; empty: none.
  std::string model;            ///< A size or a file, for both; empty: as recorded.
  std::string frames = "both";  ///< both, python, native.
  std::string by;               ///< A grouping's name; empty: as in the saved view, or by function.
  std::string pane;             ///< One of kPaneWords; empty: as in the saved view, or the first.
  std::string theme;            ///< light, dark; empty: as in the settings.
  double scale = 0;             ///< 1: 100 %; 0: as the desktop says.
  bool tour = false;            ///< Runs run_tour instead of waiting for input.
};

/// Text to print instead: --help, --version.
struct Answer {
  std::string text;
};

/// `words` are the arguments without the program's name.
/// @return kUsage, with a sentence, for invalid arguments.
Result<std::variant<Options, Answer>> parse_options(std::vector<std::string> words);

}  // namespace tidemark::gui
