/// Which frames are shown in stacks of programs with an interpreter.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <vector>

namespace tidemark::analyzer {

enum class FrameChoice {
  kBoth,    ///< Python frames in place of the evaluator that runs them, native ones around them.
            ///< Not a function without a name that asks libc for memory on behalf of many callers.
  kPython,  ///< Python frames alone, if a stack has any.
  kNative,  ///< Native frames alone.
};

/// The stack table as it reads under `choice`. Ids do not change: a hidden node reads as its
/// caller.
std::vector<trace::StackNode> chosen_stacks(const trace::Definitions& recorded, FrameChoice choice);

/// If both are false, the choice makes no difference.
bool has_python_frames(const trace::Definitions& definitions);
bool has_nameless_ways(const trace::Definitions& definitions);

}  // namespace tidemark::analyzer
