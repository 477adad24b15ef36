#include "gui/app/tour.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
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

double milliseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// The times of one leg's frames by one clock.
class FrameTimes {
 public:
  void add(double milliseconds) { times_.push_back(milliseconds); }
  /// The quantile: a share of the frames took no longer.
  [[nodiscard]] double at(double share) const {
    auto sorted = times_;
    std::ranges::sort(sorted);
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
  [[nodiscard]] std::size_t count() const { return times_.size(); }

 private:
  std::vector<double> times_;
};

/// The processor time of the threads on which software OpenGL draws.
class DrawingThreads {
 public:
  /// Finds those that exist now.
  DrawingThreads() {
    std::error_code error;
    for (std::filesystem::directory_iterator task("/proc/self/task", error), end;
         !error && task != end; task.increment(error)) {
      std::string name;
      std::getline(std::ifstream(task->path() / "comm"), name);
      if (name.starts_with("llvmpipe")) {
        clocks_.push_back(clock_of(std::stoi(task->path().filename().string())));
      }
    }
  }

  [[nodiscard]] double milliseconds() const {
    double all = 0;
    for (const clockid_t clock : clocks_) {
      all += milliseconds_of(clock);
    }
    return all;
  }

 private:
  /// The clock id that pthread_getcpuclockid makes for a thread of this process (clock_getres(2)).
  static clockid_t clock_of(pid_t thread) {
    constexpr unsigned kOfThread = 4;
    constexpr unsigned kScheduled = 2;
    return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U | kOfThread | kScheduled);
  }

  std::vector<clockid_t> clocks_;
};

/// The frame times of one leg of the tour. On a busy machine wall clock times say little, so there
/// are also processor times: of the window's thread, of it and the threads of software OpenGL, and
/// of all threads, including those that read the trace.
class Leg {
 public:
  explicit Leg(const DrawingThreads& drawing) : drawing_(drawing) {}

  template <typename Frame>
  void measure(const Frame& frame) {
    const Clock::time_point begin = Clock::now();
    const double process = milliseconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const double drawing = drawing_.milliseconds();
    const double thread = milliseconds_of(CLOCK_THREAD_CPUTIME_ID);
    frame();
    const double of_thread = milliseconds_of(CLOCK_THREAD_CPUTIME_ID) - thread;
    thread_cpu_.add(of_thread);
    drawing_cpu_.add(of_thread + drawing_.milliseconds() - drawing);
    process_cpu_.add(milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) - process);
    wall_.add(milliseconds_since(begin));
  }

  [[nodiscard]] Json json(const std::string& name) const {
    return {{"name", name},
            {"frames", wall_.count()},
            {"median_ms", wall_.at(0.5)},
            {"p99_ms", wall_.at(0.99)},
            {"thread_cpu_median_ms", thread_cpu_.at(0.5)},
            {"thread_cpu_p99_ms", thread_cpu_.at(0.99)},
            {"drawing_cpu_median_ms", drawing_cpu_.at(0.5)},
            {"drawing_cpu_p99_ms", drawing_cpu_.at(0.99)},
            {"cpu_median_ms", process_cpu_.at(0.5)},
            {"cpu_p99_ms", process_cpu_.at(0.99)}};
  }

 private:
  const DrawingThreads& drawing_;
  FrameTimes wall_;
  FrameTimes thread_cpu_;
  FrameTimes drawing_cpu_;
  FrameTimes process_cpu_;
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
  const DrawingThreads drawing;
  const Session& session = view.session();
  const double peak = session.x_of(0, session.trace(0).subject().peak_at.at_ns);
  const auto fly = [&](const std::string& name, auto&& move) {
    Leg leg(drawing);
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
      // Drawing without pause would take time from the worker.
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
