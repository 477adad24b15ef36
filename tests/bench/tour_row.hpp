/// How fast the window is on a long trace.
#pragma once

#include "tests/bench/options.hpp"
#include "tests/bench/profiler.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::bench {

/// Of a frame, in milliseconds.
struct FrameTime {
  double median_ms = 0;
  double p99_ms = 0;
};

/// One part of the tour: the times of its frames.
struct TourLeg {
  std::string name;
  FrameTime wall;
  FrameTime thread_cpu;   ///< Of the window's own thread.
  FrameTime drawing_cpu;  ///< Of it and of those that OpenGL in software draws on.
  FrameTime cpu;          ///< Of all threads of the window, those that read the trace as well.
};

struct TourCost {
  double events = 0;
  double first_picture_ms = 0;
  std::vector<TourLeg> legs;
  std::uint64_t max_rss = 0;  ///< Bytes.

  /// Of all legs the highest 99 %, by one clock.
  [[nodiscard]] double slowest_p99_ms(FrameTime TourLeg::*clock) const;
};

/// `tidemark-gui --tour` over a generated trace, on a display that nobody sees: OpenGL is software
/// there. None where there is no window or no such display.
std::optional<TourCost> measure_tour(const Workshop& workshop, const Options& options);

}  // namespace tidemark::bench
