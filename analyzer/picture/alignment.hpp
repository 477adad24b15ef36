/// Puts the traces of a picture on one horizontal axis.
#pragma once

#include "analyzer/picture/subject.hpp"
#include "analyzer/picture/warp.hpp"
#include "collector/trace/types/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tidemark::picture {

enum class Align {
  kTime,   ///< Equal times below each other, from the start of each session.
  kPhase,  ///< Phases of equal names below each other, as well as the gaps between them.
  kBytes,  ///< Equal shares of the model read below each other.
};

struct AxisTick {
  double x = 0;  ///< From 0 to 1.
  std::string text;
};

struct Axis {
  std::vector<Warp> warps;  ///< One for each subject.
  std::vector<AxisTick> ticks;
  std::string caption;  ///< What the axis counts; empty for time.
};

/// `most_ticks`: maximum number of labels.
/// @return kUsage when the traces have no phase in common, or no model file was read.
Result<Axis> align(std::span<const Subject> subjects, Align align, std::size_t most_ticks);

/// Phases in rows, in order of begin: phases in one row do not overlap, the outermost come first.
/// Those that need more than `most_rows` are left out.
std::vector<std::vector<analyzer::Phase>> phase_rows(std::span<const analyzer::Phase> phases,
                                                     std::size_t most_rows);

}  // namespace tidemark::picture
