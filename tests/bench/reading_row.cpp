#include "tests/bench/reading_row.hpp"

#include "tests/bench/child.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tidemark::bench {

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

}  // namespace tidemark::bench
