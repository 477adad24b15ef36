/// How fast the window is on a long trace.
#pragma once

#include "tests/bench/options.hpp"
#include "tests/bench/profiler.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::bench {

/// One part of the tour: the times of its frames, in milliseconds.
struct TourLeg {
  std::string name;
  double median_ms = 0;
  double p99_ms = 0;
  double cpu_ms = 0;  ///< Of all threads of the window, a frame.
};

struct TourCost {
  double events = 0;
  double first_picture_ms = 0;
  std::vector<TourLeg> legs;
  std::uint64_t max_rss = 0;  ///< Bytes.

  [[nodiscard]] double slowest_p99_ms() const;
};

/// `tidemark-gui --tour` over a generated trace, on a display that nobody sees: OpenGL is software
/// there. None where there is no window or no such display.
std::optional<TourCost> measure_tour(const Workshop& workshop, const Options& options);

}  // namespace tidemark::bench
