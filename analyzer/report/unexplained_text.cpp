#include "analyzer/flow/places.hpp"
#include "analyzer/report/anatomy_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace tidemark::analyzer {
namespace {

/// What one place asked for, as far as its stacks are listed.
struct Holder {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
};

bool is_explained(const Report& report) {
  return std::ranges::any_of(report.anatomy.findings, [](const Finding& finding) {
    return finding.peak_without_bytes.has_value();
  });
}

double times_model(const Report& report, std::uint64_t bytes) {
  return static_cast<double>(bytes) / static_cast<double>(report.model.bytes);
}

/// Without what stood before the load began, which has a row and a finding of its own.
double ratio_of_the_load(const Report& report) {
  const std::uint64_t before = report.before_load ? report.before_load->at_peak_bytes : 0;
  return report.model.is_known() ? times_model(report, report.peak.footprint_bytes - before) : 0;
}

/// So little above the model that there is nothing to explain, or that it may be the weights.
constexpr double kLow = 1.25;

}  // namespace

std::string unexplained_text(const Report& report) {
  if (!report.at_peak || ratio_of_the_load(report) < kLow || is_explained(report)) {
    return {};
  }
  std::map<std::string, Holder> holders;
  for (const ReportStack& stack : report.live_stacks) {
    Holder& holder = holders[place_text(stack.frames)];
    holder.bytes += stack.bytes;
    holder.blocks += stack.blocks;
  }
  const auto most =
      std::ranges::max_element(holders, {}, [](const auto& holder) { return holder.second.bytes; });
  if (most == holders.end() || times_model(report, most->second.bytes) < kLow) {
    return "No finding explains this peak.";
  }
  const auto& [place, holder] = *most;
  return fmt::format("No finding explains this peak. {} of it, {:.2f} x the model, in {} {} of {}.",
                     format_size(holder.bytes), times_model(report, holder.bytes),
                     format_count(holder.blocks), holder.blocks == 1 ? "block" : "blocks", place);
}

}  // namespace tidemark::analyzer
