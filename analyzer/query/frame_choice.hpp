/// Which frames of the stacks of programs with an interpreter are shown.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <vector>

namespace tidemark::analyzer {

enum class FrameChoice {
  kBoth,    ///< Python frames in place of the evaluator that runs them, native ones around them.
            ///< Not a function without a name that asks libc for memory on behalf of many callers.
  kPython,  ///< Of a stack with Python frames these alone.
  kNative,  ///< As the machine has them.
};

/// The stack table to be read under `choice`. Ids stay: a node whose frame is not shown reads as
/// its caller.
std::vector<trace::StackNode> chosen_stacks(const trace::Definitions& recorded, FrameChoice choice);

/// Where neither is so, the choice makes no difference.
bool has_python_frames(const trace::Definitions& definitions);
bool has_nameless_ways(const trace::Definitions& definitions);

}  // namespace tidemark::analyzer
