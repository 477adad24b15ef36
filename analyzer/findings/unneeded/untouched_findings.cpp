// Heap blocks that were asked for and never used, by looks at their pages.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/block_looks.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Blocks of one place with parts that were never touched.
struct Untouched {
  std::uint64_t bytes = 0;
  std::uint64_t untouched_bytes = 0;
  std::uint64_t blocks = 0;
  std::vector<std::uint32_t> lives;
  trace::StackId stack = trace::kNoStack;
  Savings savings;
};

/// By place, not by block: of which of several like blocks a little more is used differs from run
/// to run.
std::map<std::uint32_t, Untouched> untouched_by_place(const Evidence& evidence) {
  const BlockLooks looks(evidence.trace.definitions());
  Places places(evidence.trace.definitions());
  std::map<std::uint32_t, Untouched> by_place;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (evidence.explained[i] || evidence.is_slack_told[i] ||
        !lives[i].is_alive_after(evidence.peak)) {
      continue;
    }
    const std::uint64_t bytes = looks.untouched_bytes(lives[i], evidence.load.duration_ns);
    if (bytes == 0) {
      continue;
    }
    Untouched& place = by_place[places.of(lives[i].stack)];
    place.bytes += lives[i].size;
    place.untouched_bytes += bytes;
    place.stack = lives[i].stack;
    ++place.blocks;
    place.lives.push_back(i);
    evidence.flow.save_part(i, static_cast<double>(bytes) / static_cast<double>(lives[i].size),
                            place.savings);
  }
  return by_place;
}

}  // namespace

void find_untouched(Evidence& evidence, std::vector<Finding>& findings) {
  constexpr std::uint64_t kNotablePart = 16;
  for (const auto& [number, place] : untouched_by_place(evidence)) {
    if (place.untouched_bytes < place.bytes / kNotablePart ||
        place.untouched_bytes < evidence.worth_saying()) {
      continue;
    }
    const auto without = evidence.lower_peak(place.savings);
    if (!without) {
      continue;
    }
    Finding finding{.kind = FindingKind::kUntouched, .title = "asked for and never touched"};
    finding.frames = named_stack(evidence.trace.definitions(), place.stack);
    finding.sentence =
        fmt::format("{} of the {} were never touched: no look at their pages found them in memory.",
                    format_size(place.untouched_bytes),
                    blocks_text(place.bytes, place.blocks, place_text(finding.frames)));
    finding.bytes = place.untouched_bytes;
    finding.at_ns = evidence.load.peak.at.at_ns;
    without->note(finding);
    finding.remedy = "With what was touched";
    findings.push_back(std::move(finding));
    evidence.explain(place.lives);
  }
}

}  // namespace tidemark::analyzer
