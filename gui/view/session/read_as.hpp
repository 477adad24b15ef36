/// How the window's traces are read.
#pragma once

#include "analyzer/query/frame_choice.hpp"

#include <string>

namespace tidemark::gui {

struct ReadAs {
  std::string model{};  ///< A size or a file, for all; empty: as recorded.
  analyzer::FrameChoice frames = analyzer::FrameChoice::kBoth;
};

}  // namespace tidemark::gui
