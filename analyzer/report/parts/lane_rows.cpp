#include "analyzer/report/parts/lane_rows.hpp"

#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {
namespace {

LaneRow exact(const trace::LaneInfo& lane, const Report& report) {
  return {std::string(lane.in_footprint ? "  " : "") + lane.key,
          format_size(report.lane_peaks[lane.lane]), format_size(report.peak.lanes[lane.lane]),
          lane.meaning};
}

LaneRow sampled(std::string name, std::uint64_t bytes, std::string meaning) {
  return {std::move(name), format_size(bytes), "", std::move(meaning)};
}

void add_high_water(const Report& report, std::vector<LaneRow>& rows) {
  if (report.kernel_peak_rss_bytes != 0) {
    rows.push_back(
        sampled("  VmHWM", report.kernel_peak_rss_bytes, "the kernel's own, largest process"));
  }
}

LaneRow headers_row(const MallocHeaders& headers) {
  const std::string blocks = format_count(headers.blocks) + " blocks";
  const std::string most = format_size(headers.most_bytes);
  return headers.least_bytes == headers.most_bytes
             ? LaneRow{"  headers", "", most, "what malloc adds to " + blocks}
             : LaneRow{"  headers", format_size(headers.least_bytes), "",
                       fmt::format("to {}: malloc's, {}", most, blocks)};
}

/// With the time as long as a line of the text has room for.
std::string unexplained_meaning(const Report& report) {
  const bool has_private_device = std::ranges::any_of(report.device, &DeviceUse::is_private);
  const std::string asked =
      has_private_device ? "beyond heap + anon + device" : "beyond heap + anon";
  if (!report.unexplained_at_ns) {
    return "rss_anon " + asked;
  }
  return fmt::format("{}{}, at {}", has_private_device ? "" : "rss_anon ", asked,
                     format_time(*report.unexplained_at_ns));
}

void add_sampled_rows(const Report& report, std::vector<LaneRow>& rows) {
  rows.push_back(sampled("rss", report.resident.total_bytes, "resident, sampled; of this:"));
  rows.push_back(sampled("  rss_anon", report.resident.anon_bytes, "private memory"));
  rows.push_back(sampled("  rss_file", report.resident.file_bytes, "pages of mapped files"));
  if (report.resident.shmem_bytes != 0) {
    rows.push_back(sampled("  rss_shmem", report.resident.shmem_bytes, "shared memory"));
  }
  add_high_water(report, rows);
  rows.push_back(sampled("unexplained", report.unexplained_bytes, unexplained_meaning(report)));
  if (report.unexplained_kept_bytes != 0) {
    rows.push_back(
        sampled("  freed", report.unexplained_kept_bytes, "of that at least: freed, still there"));
  }
  if (may_be_headers(report)) {
    rows.push_back(headers_row(headers_of(report)));
  }
}

}  // namespace

bool was_sampled(const Report& report) {
  return report.resident.total_bytes != 0;
}

std::vector<LaneRow> lane_rows(const Report& report) {
  const std::string peak = format_size(report.peak.footprint_bytes);
  std::vector<LaneRow> rows{{"footprint", peak, peak, footprint_text()}};
  for (const trace::Lane lane : trace::kShownLanes) {
    const trace::LaneInfo& info = trace::info_of(lane);
    if (info.shown_when_empty || report.lane_peaks[lane] != 0) {
      rows.push_back(exact(info, report));
    }
  }
  if (was_sampled(report)) {
    add_sampled_rows(report, rows);
  } else {
    add_high_water(report, rows);
  }
  return rows;
}

}  // namespace tidemark::analyzer
