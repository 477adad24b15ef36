#include "tests/bench/reading_row.hpp"

#include "tests/bench/child.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tidemark::bench {
namespace {

VerbCost cost_of(const std::vector<std::string>& command, const Options& options) {
  VerbCost cost;
  std::vector<double> wall;
  std::vector<double> cpu;
  for (int round = 0; round < options.rounds; ++round) {
    say_progress(fmt::format("round {} of {}: {} of a long trace", round + 1, options.rounds,
                             command.at(1)));
    const Outcome outcome = run(command);
    wall.push_back(outcome.wall_ns);
    cpu.push_back(outcome.cpu_ns);
    cost.max_rss = std::max(cost.max_rss, outcome.max_rss);
  }
  cost.wall_ns = median(wall);
  cost.cpu_ns = median(cpu);
  return cost;
}

}  // namespace

std::optional<ReadingCost> measure_reading(const Workshop& workshop, const Options& options) {
  if (!options.wants("reading"))
    return std::nullopt;
  const long pairs = options.pairs * (options.quick ? 2 : 10);
  say_progress("recording a long trace");
  run(workshop.under(Profiler::kTidemark,
                     {Workshop::host("pair_loop"), "--varied", "--pairs", std::to_string(pairs)}));
  ReadingCost cost;
  std::vector<double> times;
  for (int round = 0; round < options.rounds; ++round) {
    say_progress(fmt::format("round {} of {}: reading", round + 1, options.rounds));
    const Outcome outcome = run({workshop.tool("tidemark"), "report",
                                 workshop.trace(Profiler::kTidemark), "--format", "json"});
    const auto events = nlohmann::json::parse(outcome.output).at("events");
    cost.events = events.at("allocations").get<double>() + events.at("frees").get<double>();
    cost.max_rss = std::max(cost.max_rss, outcome.max_rss);
    times.push_back(outcome.wall_ns);
  }
  cost.wall_ns = median(times);
  cost.bytes_per_event =
      static_cast<double>(workshop.trace_bytes(Profiler::kTidemark)) / cost.events;
  return cost;
}

std::optional<TouchedCost> measure_touched(const Workshop& workshop, const Options& options) {
  if (!options.wants("touched"))
    return std::nullopt;
  const long events = options.long_trace_events();
  say_progress("generating a long trace");
  const std::string trace = workshop.file("touched.tmk");
  run({workshop.tool("tidemark-generate-trace"), trace, "--touch-every", "100", "--events",
       std::to_string(events)});
  const std::string tidemark = workshop.tool("tidemark");
  return TouchedCost{.events = static_cast<double>(events),
                     .report = cost_of({tidemark, "report", trace}, options),
                     .diff = cost_of({tidemark, "diff", trace, trace}, options)};
}

}  // namespace tidemark::bench
