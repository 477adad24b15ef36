#include "tests/bench/results.hpp"

#include "tests/bench/table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace tidemark::bench {
namespace {

std::string ns(double value) {
  return fmt::format("{:.0f}", value);
}
std::string ratio(double value) {
  return fmt::format("{:.2f}", value);
}
constexpr const char* kNotMeasured = "-";

std::string pair_table(const std::vector<PairRow>& rows) {
  Table table({"ns a pair and thread", "base", "tidemark +", "heaptrack +", "ratio",
               "(CPU alone:) tidemark +", "heaptrack +", "ratio"});
  for (const PairRow& row : rows) {
    const double wall = row.added(Profiler::kTidemark);
    const double cpu = row.added_cpu(Profiler::kTidemark);
    const bool both = row.has(Profiler::kHeaptrack);
    const double other_wall = both ? row.added(Profiler::kHeaptrack) : 0;
    const double other_cpu = both ? row.added_cpu(Profiler::kHeaptrack) : 0;
    table.add({row.name(), ns(row.costs.at(Profiler::kNone).wall), ns(wall),
               both ? ns(other_wall) : kNotMeasured, both ? ratio(wall / other_wall) : kNotMeasured,
               ns(cpu), both ? ns(other_cpu) : kNotMeasured,
               both ? ratio(cpu / other_cpu) : kNotMeasured});
  }
  return table.text();
}

std::string cost_table(const std::vector<PairRow>& rows) {
  Table table({"CPU of all processes, ns a pair", "none", "tidemark", "heaptrack",
               "collector, ns an event", "bytes an event", "heaptrack's"});
  for (const PairRow& row : rows) {
    const PairCost& own = row.costs.at(Profiler::kTidemark);
    const bool both = row.has(Profiler::kHeaptrack);
    const PairCost other = both ? row.costs.at(Profiler::kHeaptrack) : PairCost{};
    table.add({row.name(), ns(row.costs.at(Profiler::kNone).all_cpu), ns(own.all_cpu),
               both ? ns(other.all_cpu) : kNotMeasured, ns(own.collector_cpu),
               ratio(own.bytes_per_event), both ? ratio(other.bytes_per_event) : kNotMeasured});
  }
  return table.text();
}

std::string program_table(const std::vector<ProgramRow>& rows) {
  Table table({"whole programs", "none, ms", "tidemark, wall x", "heaptrack, wall x",
               "tidemark, CPU x", "heaptrack, CPU x"});
  std::string notes;
  for (const ProgramRow& row : rows) {
    const bool both = row.has(Profiler::kHeaptrack);
    table.add({row.name + (row.note.empty() ? "" : " *"),
               ns(row.costs.at(Profiler::kNone).wall_ns / 1e6),
               ratio(row.wall_ratio(Profiler::kTidemark)),
               both ? ratio(row.wall_ratio(Profiler::kHeaptrack)) : kNotMeasured,
               ratio(row.cpu_ratio(Profiler::kTidemark)),
               both ? ratio(row.cpu_ratio(Profiler::kHeaptrack)) : kNotMeasured});
    if (!row.note.empty())
      notes += fmt::format("  * {}: {}\n", row.name, row.note);
  }
  return table.text() + notes;
}

/// Beside recordings that take every stack, of the same rounds.
std::string sampled_table(const Results& results) {
  Table programs({"--sample 512KiB, programs", "all stacks, wall x", "sampled, wall x",
                  "all stacks, CPU x", "sampled, CPU x"});
  for (const ProgramRow& row : results.programs) {
    if (row.has(Profiler::kSampled)) {
      programs.add({row.name, ratio(row.wall_ratio(Profiler::kTidemark)),
                    ratio(row.wall_ratio(Profiler::kSampled)),
                    ratio(row.cpu_ratio(Profiler::kTidemark)),
                    ratio(row.cpu_ratio(Profiler::kSampled))});
    }
  }
  Table pairs({"--sample 512KiB, ns a pair and thread", "all stacks +", "sampled +",
               "(CPU alone:) all stacks +", "sampled +", "collector, ns an event", "sampled",
               "bytes an event", "sampled"});
  for (const auto& rows : {results.lifetimes, results.pairs}) {
    for (const PairRow& row : rows) {
      if (row.has(Profiler::kSampled)) {
        pairs.add({row.name(), ns(row.added(Profiler::kTidemark)),
                   ns(row.added(Profiler::kSampled)), ns(row.added_cpu(Profiler::kTidemark)),
                   ns(row.added_cpu(Profiler::kSampled)),
                   ns(row.costs.at(Profiler::kTidemark).collector_cpu),
                   ns(row.costs.at(Profiler::kSampled).collector_cpu),
                   fmt::format("{:.2f}", row.costs.at(Profiler::kTidemark).bytes_per_event),
                   fmt::format("{:.2f}", row.costs.at(Profiler::kSampled).bytes_per_event)});
      }
    }
  }
  return (programs.empty() ? "" : '\n' + programs.text()) +
         (pairs.empty() ? "" : '\n' + pairs.text());
}

std::string target_table(const Results& results) {
  Table table({"to reach", "target", "measured", ""});
  for (const Target& target : targets(results))
    table.add(
        {target.what, target.wanted, target.measured, target.reached ? "reached" : "NOT reached"});
  return table.empty() ? "" : table.text();
}

std::string reading_text(const ReadingCost& cost) {
  return fmt::format(
      "  reading: {:.1f} M events in {:.0f} ms: {:.1f} M events/s, {:.0f} MiB at most, {:.2f} "
      "bytes an "
      "event\n",
      cost.events / 1e6, cost.wall_ns / 1e6, cost.events_per_second() / 1e6,
      static_cast<double>(cost.max_rss) / (1 << 20), cost.bytes_per_event);
}

std::string touched_text(const TouchedCost& cost) {
  Table table({fmt::format("{:.0f} M events with reads and copies", cost.events / 1e6), "seconds",
               "CPU seconds", "MiB"});
  const auto add = [&table](const std::string& verb, const VerbCost& verb_cost) {
    table.add({verb, fmt::format("{:.2f}", verb_cost.wall_ns / 1e9),
               fmt::format("{:.2f}", verb_cost.cpu_ns / 1e9),
               fmt::format("{:.0f}", static_cast<double>(verb_cost.max_rss) / (1 << 20))});
  };
  add("report", cost.report);
  add("diff with itself", cost.diff);
  return table.text();
}

nlohmann::ordered_json touched_json(const TouchedCost& cost) {
  const auto verb = [](const VerbCost& verb_cost) {
    return nlohmann::ordered_json{{"wall_ns", verb_cost.wall_ns},
                                  {"cpu_ns", verb_cost.cpu_ns},
                                  {"max_rss_bytes", verb_cost.max_rss}};
  };
  return {{"events", cost.events}, {"report", verb(cost.report)}, {"diff", verb(cost.diff)}};
}

std::string tour_text(const TourCost& cost) {
  Table table({"tour of the window, ms a frame", "median", "99 %", "(CPU of its thread:) median",
               "99 %", "(with OpenGL's:) median", "99 %"});
  for (const TourLeg& leg : cost.legs) {
    std::vector<std::string> row{leg.name};
    for (const FrameTime& time : {leg.wall, leg.thread_cpu, leg.drawing_cpu}) {
      row.push_back(fmt::format("{:.1f}", time.median_ms));
      row.push_back(fmt::format("{:.1f}", time.p99_ms));
    }
    table.add(row);
  }
  return table.text() +
         fmt::format("  {:.0f} M events: first picture {:.0f} ms, {:.0f} MiB at most\n",
                     cost.events / 1e6, cost.first_picture_ms,
                     static_cast<double>(cost.max_rss) / (1 << 20));
}

nlohmann::ordered_json tour_json(const TourCost& cost) {
  nlohmann::ordered_json json{{"events", cost.events},
                              {"first_picture_ms", cost.first_picture_ms},
                              {"max_rss_bytes", cost.max_rss}};
  for (const TourLeg& leg : cost.legs) {
    json["legs"].push_back({{"name", leg.name},
                            {"median_ms", leg.wall.median_ms},
                            {"p99_ms", leg.wall.p99_ms},
                            {"thread_cpu_median_ms", leg.thread_cpu.median_ms},
                            {"thread_cpu_p99_ms", leg.thread_cpu.p99_ms},
                            {"drawing_cpu_median_ms", leg.drawing_cpu.median_ms},
                            {"drawing_cpu_p99_ms", leg.drawing_cpu.p99_ms},
                            {"cpu_median_ms", leg.cpu.median_ms},
                            {"cpu_p99_ms", leg.cpu.p99_ms}});
  }
  return json;
}

nlohmann::ordered_json pair_json(const PairRow& row) {
  nlohmann::ordered_json json{
      {"name", row.name()}, {"depth", row.depth}, {"threads", row.threads}, {"varied", row.varied}};
  if (!row.shape.empty())
    json.update({{"shape", row.shape}, {"alive", row.alive}});
  for (const auto& [profiler, cost] : row.costs) {
    json[name_of(profiler)] = {{"wall_ns_per_pair", cost.wall},
                               {"thread_cpu_ns_per_pair", cost.thread_cpu},
                               {"all_cpu_ns_per_pair", cost.all_cpu},
                               {"collector_cpu_ns_per_event", cost.collector_cpu},
                               {"bytes_per_event", cost.bytes_per_event}};
  }
  return json;
}

nlohmann::ordered_json program_json(const ProgramRow& row) {
  nlohmann::ordered_json json{{"name", row.name}};
  for (const auto& [profiler, cost] : row.costs)
    json[name_of(profiler)] = {{"wall_ns", cost.wall_ns}, {"cpu_ns", cost.cpu_ns}};
  return json;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name") && line.find(':') != std::string::npos)
      return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string describe_machine() {
  std::ifstream file("/proc/loadavg");
  double load = 0;
  file >> load;
  const unsigned cores = std::thread::hardware_concurrency();
  std::string machine = fmt::format("{}, {} cores, load {:.1f}", processor(), cores, load);
  // With a core to spare for each of ours, wall times mean what they say.
  if (load > 0.5)
    machine += " (others run here: trust CPU times and ratios, not wall times)";
  return machine;
}

std::string text(const Results& results) {
  std::string out = results.machine + '\n';
  if (const auto share = mean_share_of_heaptrack(results.programs)) {
    out += fmt::format(
        "\nAdded wall time of whole programs, by what heaptrack adds, geometric mean: {:.3f}\n",
        *share);
  }
  if (!results.programs.empty())
    out += '\n' + program_table(results.programs);
  for (const auto& rows : {results.lifetimes, results.pairs}) {
    if (!rows.empty())
      out += '\n' + pair_table(rows) + '\n' + cost_table(rows);
  }
  if (results.reading)
    out += '\n' + reading_text(*results.reading);
  if (results.touched)
    out += '\n' + touched_text(*results.touched);
  if (results.tour)
    out += '\n' + tour_text(*results.tour);
  out += sampled_table(results);
  const std::string reached = target_table(results);
  return reached.empty() ? out : out + '\n' + reached;
}

std::string json(const Results& results) {
  nlohmann::ordered_json json{{"machine", results.machine}};
  if (const auto share = mean_share_of_heaptrack(results.programs))
    json["mean_share_of_heaptrack"] = *share;
  for (const ProgramRow& row : results.programs)
    json["programs"].push_back(program_json(row));
  for (const PairRow& row : results.lifetimes)
    json["lifetimes"].push_back(pair_json(row));
  for (const PairRow& row : results.pairs)
    json["pairs"].push_back(pair_json(row));
  if (results.unwinding_ns)
    json["unwinding_ns"] = *results.unwinding_ns;
  if (results.reading) {
    json["reading"] = {{"events", results.reading->events},
                       {"wall_ns", results.reading->wall_ns},
                       {"max_rss_bytes", results.reading->max_rss},
                       {"bytes_per_event", results.reading->bytes_per_event}};
  }
  if (results.touched)
    json["touched"] = touched_json(*results.touched);
  if (results.tour)
    json["tour"] = tour_json(*results.tour);
  for (const Target& target : targets(results)) {
    json["targets"].push_back({{"what", target.what},
                               {"target", target.wanted},
                               {"measured", target.measured},
                               {"reached", target.reached}});
  }
  return json.dump(2) + '\n';
}

}  // namespace tidemark::bench
