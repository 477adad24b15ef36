// What stood before the load of the model began.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tidemark::analyzer {
namespace {

void take_off(LiveStack& stack, std::uint64_t bytes, std::uint64_t blocks) {
  stack.bytes -= std::min(stack.bytes, bytes);
  stack.blocks -= std::min(stack.blocks, blocks);
}

/// The stack that holds most of it at the peak: without what came since the model was opened, as
/// the pages of a mapping may, and without the load's own buffers. None where all are these.
std::optional<LiveStack> largest(const Evidence& evidence, const BeforeLoad& before) {
  const Instant& peak = evidence.load.peak.at;
  const Instant opened = evidence.trace.instant_at(before.at_ns);
  LiveSet live = certain_live_set_at(evidence.trace, peak);
  std::map<std::pair<trace::StackId, trace::Lane>, std::uint64_t> stood;
  for (const LiveStack& stack : certain_live_set_at(evidence.trace, opened).stacks) {
    stood[{stack.stack, stack.lane}] += stack.bytes;
  }
  std::map<std::pair<trace::StackId, trace::Lane>, LiveStack*> by_stack;
  for (LiveStack& stack : live.stacks) {
    by_stack[{stack.stack, stack.lane}] = &stack;
  }
  for (const LiveStack& since : certain_kept_stacks(evidence.trace, opened, peak)) {
    if (const auto at_peak = by_stack.find({since.stack, since.lane}); at_peak != by_stack.end()) {
      take_off(*at_peak->second, since.bytes, since.blocks);
    }
  }
  std::optional<LiveStack> most;
  for (LiveStack& stack : live.stacks) {
    if (const auto buffers = before.buffers.find(stack.stack); buffers != before.buffers.end()) {
      take_off(stack, buffers->second.bytes, buffers->second.blocks);
    }
    stack.bytes = std::min(stack.bytes, stood[{stack.stack, stack.lane}]);
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
  if (const auto most = largest(evidence, *before)) {
    finding.frames = named_stack(evidence.trace.definitions(), most->stack);
    finding.sentence +=
        fmt::format("; the largest part of that is {}",
                    blocks_text(most->bytes, most->blocks, place_text(finding.frames)));
  }
  finding.sentence += '.';
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
