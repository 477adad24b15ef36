// What stood before the load of the model began.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tidemark::analyzer {
namespace {

/// The stack that held most of it then, beside the load's own buffers; none where all are these.
std::optional<LiveStack> largest(const LiveSet& live, const BeforeLoad& before) {
  std::optional<LiveStack> most;
  for (LiveStack stack : live.stacks) {
    if (const auto buffers = before.buffers.find(stack.stack); buffers != before.buffers.end()) {
      stack.bytes -= std::min(stack.bytes, buffers->second.bytes);
      stack.blocks -= std::min(stack.blocks, buffers->second.blocks);
    }
    if (trace::in_footprint(stack.lane) && stack.bytes > (most ? most->bytes : 0)) {
      most = stack;
    }
  }
  return most;
}

}  // namespace

void find_before_load(const Evidence& evidence, std::vector<Finding>& findings) {
  const auto& before = evidence.load.before_load;
  if (!before || before->at_peak_bytes < evidence.worth_saying()) {
    return;
  }
  Finding finding{.kind = FindingKind::kBeforeLoad, .title = "before the load"};
  finding.bytes = before->at_peak_bytes;
  finding.at_ns = before->at_ns;
  finding.sentence = fmt::format("{} of the peak stood before the model was first opened, at {}",
                                 format_size(finding.bytes), format_time(finding.at_ns));
  const LiveSet live =
      certain_live_set_at(evidence.trace, evidence.trace.instant_at(before->at_ns));
  if (const auto most = largest(live, *before)) {
    finding.frames = named_stack(evidence.trace.definitions(), most->stack);
    finding.sentence +=
        fmt::format("; the largest part then was {}",
                    blocks_text(most->bytes, most->blocks, place_text(finding.frames)));
  }
  finding.sentence += '.';
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
