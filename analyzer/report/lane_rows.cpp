#include "analyzer/report/lane_rows.hpp"

#include "analyzer/text/size_text.hpp"

#include <utility>

namespace tidemark::analyzer {
namespace {

LaneRow exact(std::string name, trace::Lane lane, const Report& report, std::string meaning) {
  return {std::move(name), format_size(report.lane_peaks[lane]),
          format_size(report.peak.lanes[lane]), std::move(meaning)};
}

LaneRow sampled(std::string name, std::uint64_t bytes, std::string meaning) {
  return {std::move(name), format_size(bytes), "", std::move(meaning)};
}

void add_sampled_rows(const Report& report, std::vector<LaneRow>& rows) {
  rows.push_back(sampled("rss", report.resident.total_bytes, "resident, sampled; of this:"));
  rows.push_back(sampled("  rss_anon", report.resident.anon_bytes, "private memory"));
  rows.push_back(sampled("  rss_file", report.resident.file_bytes, "pages of mapped files"));
  if (report.resident.shmem_bytes != 0) {
    rows.push_back(sampled("  rss_shmem", report.resident.shmem_bytes, "shared memory"));
  }
  if (report.kernel_peak_rss_bytes != 0) {
    rows.push_back(
        sampled("  VmHWM", report.kernel_peak_rss_bytes, "the kernel's own, largest process"));
  }
  rows.push_back(sampled("unexplained", report.unexplained_bytes, "rss_anon beyond heap + anon"));
}

}  // namespace

bool was_sampled(const Report& report) {
  return report.resident.total_bytes != 0;
}

std::vector<LaneRow> lane_rows(const Report& report) {
  const std::string peak = format_size(report.peak.footprint_bytes);
  std::vector<LaneRow> rows{{"footprint", peak, peak, "heap + anon + device"}};
  rows.push_back(exact("  heap", trace::Lane::kHeap, report, "malloc, new: bytes requested"));
  rows.push_back(exact("  anon", trace::Lane::kAnon, report, "anonymous mmap, brk"));
  if (report.lane_peaks[trace::Lane::kDevice] != 0) {
    rows.push_back(exact("  device", trace::Lane::kDevice, report, "GPU memory"));
  }
  rows.push_back(
      exact("file", trace::Lane::kFile, report, "file mappings: reserved, not footprint"));
  if (was_sampled(report)) {
    add_sampled_rows(report, rows);
  }
  return rows;
}

}  // namespace tidemark::analyzer
