#include "tests/bench/tour_row.hpp"

#include "tests/bench/child.hpp"
#include "tests/bench/progress.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace tidemark::bench {
namespace {

bool can_show_window(const Workshop& workshop) {
  return is_installed("xvfb-run") && is_installed("Xvfb") &&
         std::filesystem::exists(workshop.tool("tidemark-gui"));
}

}  // namespace

double TourCost::slowest_p99_ms(FrameTime TourLeg::*clock) const {
  double slowest = 0;
  for (const TourLeg& leg : legs)
    slowest = std::max(slowest, (leg.*clock).p99_ms);
  return slowest;
}

std::optional<TourCost> measure_tour(const Workshop& workshop, const Options& options) {
  if (!options.wants("tour"))
    return std::nullopt;
  if (!can_show_window(workshop)) {
    std::fputs("bench: xvfb or tidemark-gui is not there: no tour of the window\n", stderr);
    return std::nullopt;
  }
  say_progress("tour: generating a long trace");
  const std::string trace = workshop.file("tour.tmk");
  run({workshop.tool("tidemark-generate-trace"), trace, "--events",
       std::to_string(options.long_trace_events()), "--threads", "200", "--big-blocks", "10000"});
  say_progress("tour of the window");
  const Outcome outcome = run({"xvfb-run", "-a", "-s", "-screen 0 1920x1200x24",
                               workshop.tool("tidemark-gui"), trace, "--tour"});
  const auto json = nlohmann::json::parse(outcome.output);
  TourCost cost{.events = json.at("events").get<double>(),
                .first_picture_ms = json.at("first_picture_ms").get<double>(),
                .legs = {},
                .max_rss = json.at("max_rss_bytes").get<std::uint64_t>()};
  for (const auto& leg : json.at("legs")) {
    const auto time = [&leg](const std::string& clock) {
      return FrameTime{leg.at(clock + "median_ms").get<double>(),
                       leg.at(clock + "p99_ms").get<double>()};
    };
    cost.legs.push_back({leg.at("name").get<std::string>(), time(""), time("thread_cpu_"),
                         time("drawing_cpu_"), time("cpu_")});
  }
  return cost;
}

}  // namespace tidemark::bench
