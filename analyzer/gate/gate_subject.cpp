#include "analyzer/gate/gate_subject.hpp"

#include <algorithm>
#include <array>

namespace tidemark::analyzer {
namespace {

/// What a gauge reads: a lane, or a sampled number; the footprint is neither.
struct GaugeInfo {
  Gauge gauge = Gauge::kFootprint;
  std::string_view name;
  std::optional<trace::Lane> lane{};
  std::uint64_t ResidentPeaks::*resident = nullptr;
};

constexpr GaugeInfo of_lane(Gauge gauge, trace::Lane lane) {
  return {.gauge = gauge, .name = trace::key_of(lane), .lane = lane};
}

/// By Gauge.
constexpr std::array kGauges{
    GaugeInfo{.gauge = Gauge::kFootprint, .name = "footprint"},
    of_lane(Gauge::kHeap, trace::Lane::kHeap),
    of_lane(Gauge::kAnon, trace::Lane::kAnon),
    of_lane(Gauge::kFile, trace::Lane::kFile),
    of_lane(Gauge::kDevice, trace::Lane::kDevice),
    of_lane(Gauge::kShared, trace::Lane::kShared),
    GaugeInfo{.gauge = Gauge::kRss, .name = "rss", .resident = &ResidentPeaks::total_bytes},
    GaugeInfo{.gauge = Gauge::kRssAnon, .name = "rss_anon", .resident = &ResidentPeaks::anon_bytes},
    GaugeInfo{.gauge = Gauge::kRssFile, .name = "rss_file", .resident = &ResidentPeaks::file_bytes},
    GaugeInfo{
        .gauge = Gauge::kRssShmem, .name = "rss_shmem", .resident = &ResidentPeaks::shmem_bytes},
};
static_assert(std::ranges::all_of(kGauges,
                                  [](const GaugeInfo& info) {
                                    return &info - kGauges.data() ==
                                           static_cast<std::ptrdiff_t>(info.gauge);
                                  }),
              "a row for each gauge, by its number");
static_assert(std::ranges::count_if(kGauges,
                                    [](const GaugeInfo& info) { return info.lane.has_value(); }) ==
                  trace::kLaneCount,
              "every lane has a gauge");

const GaugeInfo& info_of(Gauge gauge) {
  return kGauges.at(static_cast<std::size_t>(gauge));
}

std::uint64_t session_peak(const Report& report, Gauge gauge) {
  if (const auto lane = lane_of(gauge)) {
    return report.lane_peaks[*lane];
  }
  const auto resident = resident_of(gauge);
  return resident != nullptr ? report.resident.*resident : report.peak.footprint_bytes;
}

}  // namespace

std::string_view gauge_name(Gauge gauge) {
  return info_of(gauge).name;
}

std::optional<Gauge> gauge_named(std::string_view name) {
  const auto* const found = std::ranges::find(kGauges, name, &GaugeInfo::name);
  return found == kGauges.end() ? std::nullopt : std::optional(found->gauge);
}

std::vector<std::string> gauge_list() {
  std::vector<std::string> names;
  for (const GaugeInfo& info : kGauges) {
    names.emplace_back(info.name);
  }
  return names;
}

std::string gauge_names() {
  std::string text;
  for (const GaugeInfo& info : kGauges) {
    text.append(text.empty() ? "" : ", ").append(info.name);
  }
  return text;
}

bool is_sampled(Gauge gauge) {
  return info_of(gauge).resident != nullptr;
}

std::optional<trace::Lane> lane_of(Gauge gauge) {
  return info_of(gauge).lane;
}

std::uint64_t ResidentPeaks::*resident_of(Gauge gauge) {
  return info_of(gauge).resident;
}

std::vector<Gauge> gauges_of_baseline() {
  std::vector<Gauge> gauges;
  for (const GaugeInfo& info : kGauges) {
    if (info.gauge != Gauge::kFootprint) {
      gauges.push_back(info.gauge);
    }
  }
  return gauges;
}

std::string subject_text(const Subject& subject) {
  if (!subject.phase.empty()) {
    return "phase " + subject.phase;
  }
  return subject.gauge == Gauge::kFootprint ? "peak" : std::string(gauge_name(subject.gauge));
}

std::optional<std::uint64_t> measured_bytes(const Report& report, const Subject& subject) {
  if (subject.phase.empty()) {
    return session_peak(report, subject.gauge);
  }
  std::optional<std::uint64_t> highest;
  for (const Phase& phase : report.phases) {
    if (phase.name == subject.phase) {
      highest = std::max(highest.value_or(0), phase.peak_bytes);
    }
  }
  return highest;
}

}  // namespace tidemark::analyzer
