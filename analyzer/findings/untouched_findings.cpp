// Heap blocks that were asked for and never used, by looks at their pages.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// All looks at one block.
struct Looks {
  std::uint64_t most_bytes = 0;
  std::uint64_t last_ns = 0;
  std::uint64_t last_bytes = 0;
  std::uint64_t before_ns = 0;  ///< The look before the last; 0: there was none.
  std::uint64_t before_bytes = 0;
};

std::unordered_map<std::uint64_t, Looks> looks_by_allocation(
    const trace::Definitions& definitions) {
  std::unordered_map<std::uint64_t, Looks> looks;
  for (const trace::Look& look : definitions.looks) {
    Looks& block = looks[look.allocation];
    block.most_bytes = std::max(block.most_bytes, look.bytes);
    block.before_ns = std::exchange(block.last_ns, look.at_ns);
    block.before_bytes = std::exchange(block.last_bytes, look.bytes);
  }
  return looks;
}

/// What may have been touched after the last look: as fast as before it.
std::uint64_t touched_unseen(const BlockLife& life, const Looks& looks, std::uint64_t end_ns) {
  const std::uint64_t since_ns = std::max(looks.before_ns, life.born_ns);
  const std::uint64_t grown = looks.last_bytes - std::min(looks.last_bytes, looks.before_bytes);
  const auto seen_ns = static_cast<double>(looks.last_ns - std::min(looks.last_ns, since_ns));
  const auto unseen_ns = static_cast<double>(end_ns - std::min(end_ns, looks.last_ns));
  if (grown == 0 || unseen_ns <= 0) {
    return 0;
  }
  const double more = static_cast<double>(grown) * unseen_ns / std::max(seen_ns, 1.0);
  return more < static_cast<double>(life.size) ? static_cast<std::uint64_t>(more) : life.size;
}

/// Blocks of one place with parts that were never touched.
struct Untouched {
  std::uint64_t bytes = 0;
  std::uint64_t untouched_bytes = 0;
  std::uint64_t blocks = 0;
  std::vector<std::uint32_t> lives;
  trace::StackId stack = trace::kNoStack;
  Savings savings;
};

/// What of a block was touched by no look, nor may have been after the last one; 0 for one that was
/// seen in the first third of its life only.
std::uint64_t untouched_bytes(const Evidence& evidence, const BlockLife& life, const Looks& looks) {
  const std::uint64_t end_ns = std::min(life.died_ns, evidence.load.duration_ns);
  const std::uint64_t life_ns = end_ns - std::min(end_ns, life.born_ns);
  if (looks.last_ns < life.born_ns + life_ns / 3) {
    return 0;
  }
  const std::uint64_t came = life.read_bytes + life.copied_in_bytes + life.moved_in_bytes;
  const std::uint64_t touched =
      std::max({looks.most_bytes, came, life.filled_bytes}) + touched_unseen(life, looks, end_ns);
  return life.size - std::min(life.size, touched);
}

std::map<std::uint32_t, Untouched> untouched_by_place(const Evidence& evidence) {
  constexpr std::uint64_t kNotablePart = 16;
  const auto looks = looks_by_allocation(evidence.trace.definitions());
  Places places(evidence.trace.definitions());
  std::map<std::uint32_t, Untouched> by_place;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const auto seen = looks.find(lives[i].allocation);
    if (seen == looks.end() || lives[i].lane != trace::Lane::kHeap || evidence.explained[i] ||
        !lives[i].is_alive_after(evidence.peak)) {
      continue;
    }
    const std::uint64_t bytes = untouched_bytes(evidence, lives[i], seen->second);
    if (bytes < lives[i].size / kNotablePart) {
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
  for (const auto& [number, place] : untouched_by_place(evidence)) {
    if (place.untouched_bytes < evidence.worth_saying()) {
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
