#include "analyzer/gate/gate_subject.hpp"

#include <algorithm>
#include <array>

namespace tidemark::analyzer {
namespace {

constexpr std::array<std::string_view, 9> kNames{
    "footprint", "heap", "anon", "file", "device", "rss", "rss_anon", "rss_file", "rss_shmem"};

std::uint64_t session_peak(const Report& report, Gauge gauge) {
  if (const auto lane = lane_of(gauge)) {
    return report.lane_peaks[*lane];
  }
  const auto resident = resident_of(gauge);
  return resident != nullptr ? report.resident.*resident : report.peak.footprint_bytes;
}

}  // namespace

std::string_view gauge_name(Gauge gauge) {
  return kNames.at(static_cast<std::size_t>(gauge));
}

std::optional<Gauge> gauge_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    return std::nullopt;
  }
  return static_cast<Gauge>(found - kNames.begin());
}

std::string gauge_names() {
  std::string text;
  for (const std::string_view name : kNames) {
    text.append(text.empty() ? "" : ", ").append(name);
  }
  return text;
}

bool is_sampled(Gauge gauge) {
  return gauge >= Gauge::kRss;
}

std::optional<trace::Lane> lane_of(Gauge gauge) {
  switch (gauge) {
    case Gauge::kHeap:
      return trace::Lane::kHeap;
    case Gauge::kAnon:
      return trace::Lane::kAnon;
    case Gauge::kFile:
      return trace::Lane::kFile;
    case Gauge::kDevice:
      return trace::Lane::kDevice;
    default:
      return std::nullopt;
  }
}

std::uint64_t ResidentPeaks::*resident_of(Gauge gauge) {
  switch (gauge) {
    case Gauge::kRss:
      return &ResidentPeaks::total_bytes;
    case Gauge::kRssAnon:
      return &ResidentPeaks::anon_bytes;
    case Gauge::kRssFile:
      return &ResidentPeaks::file_bytes;
    case Gauge::kRssShmem:
      return &ResidentPeaks::shmem_bytes;
    default:
      return nullptr;
  }
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
