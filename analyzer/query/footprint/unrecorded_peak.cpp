#include "analyzer/query/footprint/unrecorded_peak.hpp"

#include <algorithm>
#include <vector>

namespace tidemark::analyzer {
namespace {

std::uint64_t sum_or_most(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void raise(std::uint64_t& highest, const Extent& extent, std::uint64_t more) {
  highest = std::max(highest, sum_or_most(extent.maximum, more));
}

/// The most that programs can have had which ran at some time within [begin_ns, end_ns).
std::uint64_t most_within(const trace::Loss& loss, std::uint64_t begin_ns, std::uint64_t end_ns) {
  std::uint64_t most = 0;
  for (const trace::Unrecorded& program : loss.unrecorded) {
    if (program.from_ns < end_ns && program.until_ns > begin_ns) {
      most = sum_or_most(most, program.most_bytes);
    }
  }
  return most;
}

}  // namespace

std::optional<HighestPossible> highest_with_unrecorded(Timeline& timeline,
                                                       const trace::Loss& loss) {
  if (loss.processes_left != 0) {
    return std::nullopt;
  }
  std::uint64_t bounded = 0;
  std::vector<std::uint64_t> borders;
  for (const trace::Unrecorded& program : loss.unrecorded) {
    if (program.is_bounded() && program.processes == 1) {
      ++bounded;
    }
    borders.push_back(program.from_ns);
    borders.push_back(std::max(program.from_ns, program.until_ns) + 1);
  }
  if (bounded != loss.processes_unrecorded || bounded != loss.unrecorded.size()) {
    return std::nullopt;
  }
  std::ranges::sort(borders);
  HighestPossible highest;
  const std::vector<Extents> columns = timeline.columns(borders);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t more = most_within(loss, borders[i], borders[i + 1]);
    if (more == 0) {
      continue;
    }
    for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
      raise(highest.lanes.at(lane), columns[i].lanes.at(lane), more);
    }
    raise(highest.footprint, columns[i].footprint, more);
  }
  return highest;
}

}  // namespace tidemark::analyzer
