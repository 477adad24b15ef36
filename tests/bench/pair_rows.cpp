#include "tests/bench/pair_rows.hpp"

#include "tests/bench/child.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/progress.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tidemark::bench {
namespace {

/// One run of pair_loop or lifetimes.
struct PairRun {
  double wall = 0;
  double thread_cpu = 0;
  double all_cpu_total = 0;   ///< ns, whole run, all processes.
  double host_cpu_total = 0;  ///< ns, whole run, the host itself.
  double events = 0;          ///< Whole run.
  double trace_bytes = 0;
};

PairRun run_pairs(const Workshop& workshop,
                  Profiler profiler,
                  const PairRow& row,
                  long pairs,
                  const Command& record_options = {}) {
  const bool is_at_once = row.shape.empty();
  Command command = {Workshop::host(is_at_once ? "pair_loop" : "lifetimes")};
  if (!is_at_once)
    command.push_back(row.shape);
  command.insert(command.end(), {"--depth", std::to_string(row.depth), "--threads",
                                 std::to_string(row.threads), "--pairs", std::to_string(pairs)});
  if (row.alive != 0)
    command.insert(command.end(), {"--alive", std::to_string(row.alive)});
  if (row.varied)
    command.emplace_back("--varied");
  const Outcome outcome = run(workshop.under(profiler, command, record_options));
  // heaptrack talks on stdout too: ours is the line of JSON.
  const std::size_t at = outcome.output.find('{');
  const std::size_t end = outcome.output.find('}', at);
  const auto json = nlohmann::json::parse(outcome.output.substr(at, end + 1 - at));
  return {json.at("ns_per_pair"), json.at("cpu_ns_per_pair"),
          outcome.cpu_ns,         json.at("process_cpu_ns"),
          json.at("events"),      static_cast<double>(workshop.trace_bytes(profiler))};
}

/// The runs of one row under one profiler, round by round.
struct Series {
  std::vector<PairRun> runs;

  template <typename Value>
  [[nodiscard]] double middle(Value value) const {
    std::vector<double> values;
    for (const PairRun& one : runs)
      values.push_back(value(one));
    return median(values);
  }
};

double others_cpu(const PairRun& run) {
  return run.all_cpu_total - run.host_cpu_total;
}

/// @param start runs with next to no pairs: what starting and ending costs in any case.
PairCost cost_of(const Series& series, const Series& start, const PairRow& row, long pairs) {
  const double made = static_cast<double>(pairs) * row.threads;
  const double start_cpu = start.middle([](const PairRun& r) { return r.all_cpu_total; });
  const double start_others = start.middle(others_cpu);
  const double start_bytes = start.middle([](const PairRun& r) { return r.trace_bytes; });
  const double events = series.middle([](const PairRun& r) { return r.events; }) -
                        start.middle([](const PairRun& r) { return r.events; });
  PairCost cost;
  cost.wall = series.middle([](const PairRun& r) { return r.wall; });
  cost.thread_cpu = series.middle([](const PairRun& r) { return r.thread_cpu; });
  cost.all_cpu =
      series.middle([&](const PairRun& r) { return (r.all_cpu_total - start_cpu) / made; });
  cost.collector_cpu =
      series.middle([&](const PairRun& r) { return (others_cpu(r) - start_others) / events; });
  cost.bytes_per_event =
      series.middle([&](const PairRun& r) { return (r.trace_bytes - start_bytes) / events; });
  return cost;
}

std::vector<PairRow> pair_rows(const Options& options) {
  if (options.quick)
    return {{24, 1}, {24, 2}, {24, 1, true}};
  return {{4, 1}, {24, 1}, {60, 1}, {4, 2}, {24, 2}, {60, 2}, {24, 1, true}, {24, 2, true}};
}

std::vector<PairRow> lifetime_rows(const Options& options) {
  const auto row = [](const char* shape, int threads, long alive = 0, long pairs = 0) {
    return PairRow{24, threads, false, shape, alive, pairs};
  };
  if (options.quick)
    return {row("random", 1, 1024), row("generations", 1), row("live", 1, 0, 1'000'000),
            row("scattered", 1, 0, 1'000'000)};
  return {row("random", 1, 1024),
          row("random", 2, 1024),
          row("random", 8, 1024),
          row("random", 1, 1'000'000),
          row("exponential", 1, 1024),
          row("fifo", 2, 1024),
          row("lifo", 1, 1024),
          row("generations", 1),
          row("growth", 1, 256),
          row("handover", 2, 1000),
          row("handover", 8, 1000),
          row("live", 1, 0, 8'000'000),
          row("scattered", 1, 0, 8'000'000)};
}

std::string grouped(long number) {
  return number < 1000 ? std::to_string(number)
                       : fmt::format("{},{:03}", grouped(number / 1000), number % 1000);
}

std::vector<Profiler> wanted_profilers(const Options& options) {
  std::vector<Profiler> profilers(kProfilers.begin(), kProfilers.end());
  std::erase_if(profilers, [&](Profiler profiler) { return !options.wants(profiler); });
  return profilers;
}

std::vector<PairRow> measure(std::vector<PairRow> rows,
                             const Workshop& workshop,
                             const Options& options) {
  constexpr long kHardlyAny = 1;
  std::erase_if(rows, [&](const PairRow& row) { return !options.wants(row.name()); });
  const auto pairs_of = [&](const PairRow& row) {
    return row.pairs != 0 ? row.pairs : options.pairs;
  };
  const std::vector<Profiler> profilers = wanted_profilers(options);
  std::vector<std::map<Profiler, Series>> series(rows.size());
  std::vector<std::map<Profiler, Series>> starts(rows.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const Profiler profiler : profilers) {
        say_progress(fmt::format("round {} of {}: {}, {}", round + 1, options.rounds,
                                 rows[i].name(), name_of(profiler)));
        starts[i][profiler].runs.push_back(run_pairs(workshop, profiler, rows[i], kHardlyAny));
        series[i][profiler].runs.push_back(
            run_pairs(workshop, profiler, rows[i], pairs_of(rows[i])));
      }
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Profiler profiler : profilers)
      rows[i].costs[profiler] =
          cost_of(series[i][profiler], starts[i][profiler], rows[i], pairs_of(rows[i]));
  }
  return rows;
}

}  // namespace

std::string PairRow::name() const {
  const long count = alive != 0 ? alive : pairs;
  return fmt::format("{}{}{}{} {}x{}{}", shape.empty() ? "pairs" : "lifetimes ", shape,
                     count != 0 ? " " : "", count != 0 ? grouped(count) : "", depth, threads,
                     varied ? " varied" : "");
}

std::vector<PairRow> measure_pairs(const Workshop& workshop, const Options& options) {
  return measure(pair_rows(options), workshop, options);
}

std::vector<PairRow> measure_lifetimes(const Workshop& workshop, const Options& options) {
  return measure(lifetime_rows(options), workshop, options);
}

std::optional<double> measure_unwinding(const Workshop& workshop, const Options& options) {
  if (!options.wants("unwinding"))
    return std::nullopt;
  const PairRow row{24, 1};
  Series with;
  Series without;
  for (int round = 0; round < options.rounds; ++round) {
    say_progress(fmt::format("round {} of {}: unwinding", round + 1, options.rounds));
    with.runs.push_back(run_pairs(workshop, Profiler::kTidemark, row, options.pairs));
    without.runs.push_back(
        run_pairs(workshop, Profiler::kTidemark, row, options.pairs, {"--unwinder", "none"}));
  }
  const auto cpu = [](const PairRun& r) { return r.thread_cpu; };
  return with.middle(cpu) - without.middle(cpu);
}

}  // namespace tidemark::bench
