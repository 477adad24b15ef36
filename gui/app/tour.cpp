#include "gui/app/tour.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace tidemark::gui {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point then) {
  return std::chrono::duration<double, std::milli>(Clock::now() - then).count();
}

/// The frames of one leg of the tour.
class Leg {
 public:
  explicit Leg(std::string name) : name_(std::move(name)) {}

  template <typename Frame>
  void measure(const Frame& frame) {
    const Clock::time_point begin = Clock::now();
    const std::clock_t cpu = std::clock();
    frame();
    times_.push_back(milliseconds_since(begin));
    cpu_ += std::clock() - cpu;
  }

  void print() {
    std::ranges::sort(times_);
    const auto at = [this](double share) {
      return times_[static_cast<std::size_t>(share * static_cast<double>(times_.size() - 1))];
    };
    const double cpu = static_cast<double>(cpu_) * 1000 / CLOCKS_PER_SEC;
    fmt::print(
        "{:24} {:5} frames, median {:6.1f} ms, 99 % {:6.1f} ms, processor {:6.1f} ms a frame\n",
        name_, times_.size(), at(0.5), at(0.99), cpu / static_cast<double>(times_.size()));
    std::fflush(stdout);
  }

 private:
  std::string name_;
  std::vector<double> times_;
  std::clock_t cpu_ = 0;  // Of all threads: on a busy machine the clock on the wall says little.
};

std::uint64_t most_memory_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss);
}

}  // namespace

void run_tour(MainView& view, const std::function<void()>& frame) {
  constexpr int kFrames = 120;
  constexpr double kNarrowest = 1e-9;
  const Clock::time_point begin = Clock::now();
  frame();
  fmt::print("{:24} {:6.1f} ms\n", "first picture", milliseconds_since(begin));
  const Session& session = view.session();
  const double peak = session.x_of(0, session.trace(0).subject().peak_at_ns);
  const auto fly = [&](const std::string& name, auto&& move) {
    Leg leg(name);
    for (int i = 0; i < kFrames; ++i) {
      move();
      leg.measure(frame);
    }
    leg.print();
  };
  const auto zoom_by = [&](double factor) {
    view.glide().go_to(zoomed(view.glide().goal(), peak, factor, kNarrowest));
  };
  fly("zoom in at the peak", [&] { zoom_by(0.93); });
  fly("zoom out", [&] { zoom_by(1 / 0.93); });
  zoom_by(0.1);
  fly("pan",
      [&] { view.glide().jump_to(panned(view.glide().now(), view.glide().now().width() * 0.01)); });
  for (const Pane pane : {Pane::kHolders, Pane::kBlocks, Pane::kActivity}) {
    view.turn_to(pane);
    while (!view.is_idle()) {
      frame();
    }
    fly(fmt::format("pane {}, panning", static_cast<int>(pane) + 1), [&] {
      view.glide().jump_to(panned(view.glide().now(), view.glide().now().width() * -0.01));
    });
  }
  fmt::print("{:24} {:6.1f} MiB\n", "most memory", static_cast<double>(most_memory_kib()) / 1024);
}

}  // namespace tidemark::gui
