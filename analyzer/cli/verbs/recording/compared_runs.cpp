#include "analyzer/cli/verbs/recording/compared_runs.hpp"

#include "analyzer/text/change_text.hpp"
#include "analyzer/text/exit_status.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::cli {

std::size_t median_run(const std::vector<ComparedRun>& runs) {
  std::vector<std::size_t> order(runs.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::stable_sort(order, {}, [&runs](std::size_t i) { return runs[i].peak_bytes; });
  return order.at((order.size() - 1) / 2);
}

std::string spread_sentence(const ComparedSide& side) {
  if (side.runs.size() < 2) {
    return {};
  }
  const auto [lowest, highest] = std::ranges::minmax(side.runs, {}, &ComparedRun::peak_bytes);
  const std::string shown = analyzer::format_size(side.runs[median_run(side.runs)].peak_bytes);
  if (lowest.peak_bytes == highest.peak_bytes) {
    return fmt::format("{}: {} runs, all peaks {} to the byte", side.name, side.runs.size(), shown);
  }
  return fmt::format("{}: {} runs, peaks {} to {} ({}), the median {} is shown", side.name,
                     side.runs.size(), analyzer::format_size(lowest.peak_bytes),
                     analyzer::format_size(highest.peak_bytes),
                     analyzer::format_change(lowest.peak_bytes, highest.peak_bytes), shown);
}

std::string failure_sentence(const ComparedSide& side) {
  const auto failed = [](const ComparedRun& run) { return run.exit_status != 0; };
  const auto first = std::ranges::find_if(side.runs, failed);
  if (first == side.runs.end()) {
    return {};
  }
  const auto count = std::ranges::count_if(side.runs, failed);
  return fmt::format(
      "{}: '{}' ended with exit status {}{}", side.name, side.command,
      analyzer::exit_status_text(first->exit_status),
      side.runs.size() == 1 ? "" : fmt::format(", in {} of {} runs", count, side.runs.size()));
}

}  // namespace tidemark::cli
