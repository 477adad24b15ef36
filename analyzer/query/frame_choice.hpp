/// Which frames of the stacks of programs with an interpreter are shown.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <vector>

namespace tidemark::analyzer {

enum class FrameChoice {
  kBoth,    ///< Python frames in place of the evaluator that runs them, native ones around them.
  kPython,  ///< Of a stack with Python frames these alone.
  kNative,  ///< As the machine has them.
};

/// The stack table to be read under `choice`. Ids stay: a node whose frame is not shown reads as
/// its caller.
std::vector<trace::StackNode> chosen_stacks(const trace::Definitions& recorded, FrameChoice choice);

/// False where the choice makes no difference.
bool has_python_frames(const trace::Definitions& definitions);

}  // namespace tidemark::analyzer
