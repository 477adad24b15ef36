/// What a check can measure: the footprint, one lane, or the footprint within one phase.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// The quantities that have a peak. The first six are exact, the others sampled.
enum class Gauge : std::uint8_t {
  kFootprint,
  kHeap,
  kAnon,
  kFile,
  kDevice,
  kShared,
  kRss,
  kRssAnon,
  kRssFile,
  kRssShmem,
};

struct Subject {
  Gauge gauge = Gauge::kFootprint;
  std::string phase;  ///< Not empty: the footprint while a phase of this name was open.

  bool operator==(const Subject&) const = default;
};

/// `footprint`, `heap`, `rss_anon`: the names of the command line and of JSON.
std::string_view gauge_name(Gauge gauge);
/// None for a name that is no gauge's.
std::optional<Gauge> gauge_named(std::string_view name);
/// All of them, in the order of the reports.
std::vector<std::string> gauge_list();
/// `footprint, heap, anon, ...`, for sentences about what there is.
std::string gauge_names();

/// True for gauges sampled from outside: short spikes may be missed, and runs differ.
bool is_sampled(Gauge gauge);
/// The lane of an exact gauge; none for the footprint and the sampled ones.
std::optional<trace::Lane> lane_of(Gauge gauge);
/// All but the footprint, which a baseline stores separately.
std::vector<Gauge> gauges_of_baseline();
/// The value of a sampled gauge; null for the exact ones.
std::uint64_t ResidentPeaks::*resident_of(Gauge gauge);

/// `peak`, `heap`, `phase deserialize`.
std::string subject_text(const Subject& subject);

/// The highest value of the session, in bytes; none if there is no phase of that name. If several
/// phases have one name, the highest counts.
std::optional<std::uint64_t> measured_bytes(const Report& report, const Subject& subject);

}  // namespace tidemark::analyzer
