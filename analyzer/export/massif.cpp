#include "analyzer/export/massif.hpp"

#include "analyzer/export/curves/highest_instants.hpp"
#include "analyzer/export/parts/massif_tree.hpp"
#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tidemark::exports {
namespace {

constexpr std::size_t kSnapshots = 98;      // With the first and the last one, massif's own most.
constexpr std::size_t kDetailedEvery = 14;  // This gives seven more than the peak.

enum class Detail { kEmpty, kDetailed, kPeak };

struct Snapshot {
  analyzer::Instant at;
  std::uint64_t footprint_bytes = 0;
  Detail detail = Detail::kEmpty;
};

auto position(const Snapshot& snapshot) {
  return std::tuple(snapshot.at.block, snapshot.at.events, snapshot.at.at_ns);
}

Snapshot snapshot_at(analyzer::LoadedTrace& trace, std::uint64_t ns, Detail detail) {
  const analyzer::Instant at = trace.instant_at(ns);
  const auto totals = trace.totals_at(at).value_or(trace::LaneTotals{});
  return {.at = at, .footprint_bytes = totals.footprint(), .detail = detail};
}

/// In order of time; exactly one is the peak.
std::vector<Snapshot> choose_snapshots(analyzer::LoadedTrace& trace,
                                       const TimeSpan& span,
                                       std::optional<std::uint64_t> at_ns) {
  std::vector<Snapshot> snapshots{snapshot_at(trace, span.begin_ns, Detail::kEmpty),
                                  snapshot_at(trace, span.end_ns, Detail::kDetailed)};
  if (at_ns) {
    snapshots.push_back(snapshot_at(trace, *at_ns, Detail::kDetailed));
  }
  std::size_t number = 0;
  for (const FootprintInstant& instant : highest_instants(trace, span, kSnapshots)) {
    snapshots.push_back(
        {.at = instant.at,
         .footprint_bytes = instant.footprint_bytes,
         .detail = ++number % kDetailedEvery == 0 ? Detail::kDetailed : Detail::kEmpty});
  }
  std::ranges::stable_sort(snapshots, {}, position);
  std::ranges::max_element(snapshots, {}, &Snapshot::footprint_bytes)->detail = Detail::kPeak;
  return snapshots;
}

const char* word_for(Detail detail) {
  return detail == Detail::kPeak ? "peak" : detail == Detail::kDetailed ? "detailed" : "empty";
}

void append_snapshot(const Snapshot& snapshot,
                     std::size_t number,
                     std::uint64_t bytes,
                     std::string& text) {
  constexpr double kNsPerMs = 1e6;
  fmt::format_to(std::back_inserter(text),
                 "#-----------\nsnapshot={}\n#-----------\ntime={:.3f}\nmem_heap_B={}\n"
                 "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree={}\n",
                 number, static_cast<double>(snapshot.at.at_ns) / kNsPerMs, bytes,
                 word_for(snapshot.detail));
}

/// More than the footprint if releases were lost: readers require that a tree fits its snapshot.
std::uint64_t bytes_of(const StackTable& table, std::uint64_t footprint_bytes) {
  std::uint64_t sum = 0;
  for (const StackRow& row : table.rows) {
    sum += is_footprint(row.lane) ? row.values.bytes : 0;
  }
  return std::max(sum, footprint_bytes);
}

std::string header_of(const trace::Session& session) {
  return fmt::format(
      "desc: made by tidemark; heap is the footprint: {}\n"
      "cmd: {}\ntime_unit: ms\n",
      analyzer::footprint_text(),
      analyzer::shown_text(fmt::format("{}", fmt::join(session.command, " "))));
}

}  // namespace

std::string massif_text(analyzer::LoadedTrace& trace,
                        const TimeSpan& span,
                        std::optional<std::uint64_t> at_ns) {
  const auto snapshots = choose_snapshots(trace, span, at_ns);
  FrameNames names(trace.definitions(), Reading::kModule);
  std::string text = header_of(trace.definitions().session);
  std::size_t number = 0;
  for (const Snapshot& snapshot : snapshots) {
    if (snapshot.detail == Detail::kEmpty) {
      append_snapshot(snapshot, number++, snapshot.footprint_bytes, text);
      continue;
    }
    const StackTable table = stacks_at(trace, snapshot.at);
    const std::uint64_t bytes = bytes_of(table, snapshot.footprint_bytes);
    append_snapshot(snapshot, number++, bytes, text);
    text += massif_tree(table, bytes, names);
  }
  return text;
}

}  // namespace tidemark::exports
