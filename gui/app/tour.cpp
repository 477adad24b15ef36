#include "gui/app/tour.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace tidemark::gui {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point then) {
  return std::chrono::duration<double, std::milli>(Clock::now() - then).count();
}

/// The frames of one leg of the tour.
class Leg {
 public:
  template <typename Frame>
  void measure(const Frame& frame) {
    const Clock::time_point begin = Clock::now();
    const std::clock_t cpu = std::clock();
    frame();
    times_.push_back(milliseconds_since(begin));
    cpu_ += std::clock() - cpu;
  }

  [[nodiscard]] Json json(const std::string& name) {
    std::ranges::sort(times_);
    const auto at = [this](double share) {
      return times_[static_cast<std::size_t>(share * static_cast<double>(times_.size() - 1))];
    };
    const double cpu = static_cast<double>(cpu_) * 1000 / CLOCKS_PER_SEC;
    return {{"name", name},
            {"frames", times_.size()},
            {"median_ms", at(0.5)},
            {"p99_ms", at(0.99)},
            {"cpu_ms", cpu / static_cast<double>(times_.size())}};
  }

 private:
  std::vector<double> times_;
  std::clock_t cpu_ = 0;  // Of all threads: on a busy machine the clock on the wall says little.
};

std::uint64_t most_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

void run_tour(MainView& view, const std::function<void()>& frame) {
  constexpr int kFrames = 120;
  constexpr double kMinRangeWidth = 1e-9;
  const Clock::time_point begin = Clock::now();
  frame();
  Json result{{"first_picture_ms", milliseconds_since(begin)}, {"legs", Json::array()}};
  const Session& session = view.session();
  const double peak = session.x_of(0, session.trace(0).subject().peak_at.at_ns);
  const auto fly = [&](const std::string& name, auto&& move) {
    Leg leg;
    for (int i = 0; i < kFrames; ++i) {
      move();
      leg.measure(frame);
    }
    result["legs"].push_back(leg.json(name));
  };
  const auto zoom_by = [&](double factor) {
    view.glide().go_to(zoomed(view.glide().goal(), peak, factor, kMinRangeWidth));
  };
  fly("zoom in at the peak", [&] { zoom_by(0.93); });
  fly("zoom out", [&] { zoom_by(1 / 0.93); });
  zoom_by(0.1);
  fly("pan",
      [&] { view.glide().jump_to(panned(view.glide().now(), view.glide().now().width() * 0.01)); });
  constexpr std::array kToured{std::pair(Pane::kHolders, "pan, who holds it"),
                               std::pair(Pane::kBlocks, "pan, blocks"),
                               std::pair(Pane::kActivity, "pan, threads and files")};
  for (const auto& [pane, name] : kToured) {
    view.turn_to(pane);
    while (!view.is_idle()) {
      // Drawing all the time would take the worker's time.
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      frame();
    }
    fly(name, [&] {
      view.glide().jump_to(panned(view.glide().now(), view.glide().now().width() * -0.01));
    });
  }
  result["events"] = session.trace(0).event_count();
  result["max_rss_bytes"] = most_memory_bytes();
  fmt::print("{}\n", result.dump(2));
}

}  // namespace tidemark::gui
