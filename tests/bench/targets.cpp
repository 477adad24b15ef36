#include "tests/bench/results.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::bench {
namespace {

constexpr double kWorstShareOfHeaptrack = 1.0 / 3;
constexpr double kOneThreadNs = 80;
constexpr double kTwoThreadsNs = 150;
constexpr double kMeanShareOfHeaptrack = 0.10;
constexpr double kOneThreadOfLifetimesNs = 70;
constexpr double kTwoThreadsOfLifetimesNs = 130;
constexpr double kCrowdShareOfHeaptrack = 0.25;
constexpr double kHandoverShareOfNative = 0.5;
constexpr double kLiveShareOfHeaptrack = 0.35;
constexpr double kCollectorOfLifetimesNs = 35;
constexpr double kScatteredBytesPerEvent = 2;
constexpr double kStartMs = 2;
constexpr double kUnwindingNs = 45;
constexpr double kCollectorNs = 60;
constexpr double kBytesPerEvent = 1.5;
constexpr double kPyTorchRatio = 1.15;
constexpr double kEventsPerSecond = 100e6;
constexpr double kFirstPictureMs = 300;
constexpr double kFrameMs = 12;
constexpr double kWindowBytes = 200.0 * (1 << 20);
constexpr double kReportNs = 20;  // An event: 2 s for 100 M.
constexpr double kDiffNs = 50;
constexpr double kReaderBytes = 256.0 * (1 << 20);

class List {
 public:
  void at_most(const std::string& what, double limit, double measured, const std::string& unit) {
    targets_.push_back({what, fmt::format("<= {:.4g} {}", limit, unit),
                        fmt::format("{:.4g} {}", measured, unit), measured <= limit});
  }
  void at_least(const std::string& what, double limit, double measured, const std::string& unit) {
    targets_.push_back({what, fmt::format(">= {:.4g} {}", limit, unit),
                        fmt::format("{:.4g} {}", measured, unit), measured >= limit});
  }
  std::vector<Target> take() { return std::move(targets_); }

 private:
  std::vector<Target> targets_;
};

void add_pairs(List& list, const std::vector<PairRow>& rows) {
  double worst_share = 0;
  double most_bytes = 0;
  double dearest_event = 0;
  for (const PairRow& row : rows) {
    if (row.has(Profiler::kHeaptrack))
      worst_share =
          std::max(worst_share, row.added(Profiler::kTidemark) / row.added(Profiler::kHeaptrack));
    const PairCost& cost = row.costs.at(Profiler::kTidemark);
    most_bytes = std::max(most_bytes, cost.bytes_per_event);
    dearest_event = std::max(dearest_event, cost.collector_cpu);
    if (row.depth == 24 && !row.varied && row.threads <= 2) {
      list.at_most(fmt::format("added to a pair, 24 frames, {}",
                               row.threads == 1 ? "1 thread" : "2 threads, a thread"),
                   row.threads == 1 ? kOneThreadNs : kTwoThreadsNs, row.added(Profiler::kTidemark),
                   "ns");
    }
  }
  if (rows.empty())
    return;
  if (rows.front().has(Profiler::kHeaptrack))
    list.at_most("share of heaptrack's added time, worst row", kWorstShareOfHeaptrack, worst_share,
                 "");
  list.at_most("collector CPU an event, worst row", kCollectorNs, dearest_event, "ns");
  list.at_most("trace bytes an event, worst row", kBytesPerEvent, most_bytes, "B");
}

/// Rows whose blocks live for a while.
void add_lifetimes(List& list, const std::vector<PairRow>& rows) {
  double dearest_event = 0;
  double most_bytes = 0;
  for (const PairRow& row : rows) {
    const PairCost& cost = row.costs.at(Profiler::kTidemark);
    dearest_event = std::max(dearest_event, cost.collector_cpu);
    const bool is_of_many = row.pairs != 0;
    if (!is_of_many)
      most_bytes = std::max(most_bytes, cost.bytes_per_event);
    else if (row.shape == "scattered")
      list.at_most("trace bytes an event, " + row.name(), kScatteredBytesPerEvent,
                   cost.bytes_per_event, "B");
    if (row.shape == "random" && row.alive == 1024 && row.threads <= 2) {
      list.at_most("added to a pair, " + row.name(),
                   row.threads == 1 ? kOneThreadOfLifetimesNs : kTwoThreadsOfLifetimesNs,
                   row.added(Profiler::kTidemark), "ns");
    }
    if (row.shape == "handover" && row.threads == 2)
      list.at_least("operations a second by native ones, " + row.name(), kHandoverShareOfNative,
                    row.costs.at(Profiler::kNone).wall / cost.wall, "");
    if (!row.has(Profiler::kHeaptrack))
      continue;
    if (is_of_many) {
      list.at_most("wall time by heaptrack's, " + row.name(), kLiveShareOfHeaptrack,
                   cost.wall / row.costs.at(Profiler::kHeaptrack).wall, "");
    } else if (row.threads > 1) {
      list.at_most("share of heaptrack's added time, " + row.name(), kCrowdShareOfHeaptrack,
                   row.added(Profiler::kTidemark) / row.added(Profiler::kHeaptrack), "");
    }
  }
  if (rows.empty())
    return;
  list.at_most("collector CPU an event, worst row of lifetimes", kCollectorOfLifetimesNs,
               dearest_event, "ns");
  if (most_bytes != 0)
    list.at_most("trace bytes an event, worst row of lifetimes", kBytesPerEvent, most_bytes, "B");
}

void add_programs(List& list, const std::vector<ProgramRow>& rows) {
  if (const auto share = mean_share_of_heaptrack(rows))
    list.at_most("share of heaptrack's added time, mean of programs", kMeanShareOfHeaptrack, *share,
                 "");
  for (const ProgramRow& row : rows) {
    if (row.name == kPyTorchRow)
      list.at_most("PyTorch checkpoint, wall time ratio", kPyTorchRatio,
                   row.wall_ratio(Profiler::kTidemark), "x");
    if (row.name == kStartRow)
      list.at_most("added to a program that does nothing", kStartMs,
                   row.added_ns(Profiler::kTidemark) / 1e6, "ms");
  }
}

/// The promise is about 100 M events; of fewer, its share is asked.
void add_touched(List& list, const TouchedCost& cost) {
  const std::string events = fmt::format("{:.0f} M events with touches", cost.events / 1e6);
  list.at_most("report of " + events, kReportNs * cost.events / 1e9, cost.report.wall_ns / 1e9,
               "s");
  list.at_most("diff of " + events, kDiffNs * cost.events / 1e9, cost.diff.wall_ns / 1e9, "s");
  list.at_most("memory of that report", kReaderBytes / (1 << 20),
               static_cast<double>(cost.report.max_rss) / (1 << 20), "MiB");
}

}  // namespace

std::vector<Target> targets(const Results& results) {
  List list;
  add_programs(list, results.programs);
  add_lifetimes(list, results.lifetimes);
  add_pairs(list, results.pairs);
  if (results.unwinding_ns)
    list.at_most("taking one stack of 24 frames (CPU)", kUnwindingNs, *results.unwinding_ns, "ns");
  if (results.reading) {
    list.at_least("events read a second, to the exact peak", kEventsPerSecond / 1e6,
                  results.reading->events_per_second() / 1e6, "M");
    list.at_most("memory of the reader", kReaderBytes / (1 << 20),
                 static_cast<double>(results.reading->max_rss) / (1 << 20), "MiB");
  }
  if (results.touched)
    add_touched(list, *results.touched);
  if (results.tour) {
    list.at_most("first picture in the window", kFirstPictureMs, results.tour->first_picture_ms,
                 "ms");
    list.at_most("99 % of the window's frames, slowest leg", kFrameMs,
                 results.tour->slowest_p99_ms(&TourLeg::wall), "ms");
    list.at_most("CPU of drawing these", kFrameMs,
                 results.tour->slowest_p99_ms(&TourLeg::drawing_cpu), "ms");
    list.at_most("memory of the window", kWindowBytes / (1 << 20),
                 static_cast<double>(results.tour->max_rss) / (1 << 20), "MiB");
  }
  return list.take();
}

}  // namespace tidemark::bench
