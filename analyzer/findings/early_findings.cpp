// Heap blocks that stood unused until after the peak, by looks at their pages.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Less of a block than one part of so many is next to nothing: an allocator's or a vector's own
/// words at its ends.
constexpr std::uint64_t kNothingPart = 16;

/// What the looks at a block say of its first use.
struct FirstUse {
  std::uint64_t unused_until_ns = 0;  ///< The last look before which it was never used.
  bool was_used = false;              ///< A later one found half of it in memory, or more.
};

std::unordered_map<trace::AllocationNumber, FirstUse> first_uses(const Evidence& evidence) {
  std::unordered_map<trace::AllocationNumber, std::uint64_t> sizes;
  for (const BlockLife& life : evidence.flow.lives()) {
    sizes[life.allocation] = life.size;
  }
  std::unordered_map<trace::AllocationNumber, FirstUse> uses;
  std::unordered_map<trace::AllocationNumber, bool> has_begun;
  for (const trace::Look& look : evidence.trace.definitions().looks) {
    const auto size = sizes.find(look.allocation);
    if (size == sizes.end()) {
      continue;
    }
    FirstUse& use = uses[look.allocation];
    bool& begun = has_begun[look.allocation];
    begun = begun || look.bytes > size->second / kNothingPart;
    use.unused_until_ns = begun ? use.unused_until_ns : look.at_ns;
    use.was_used = use.was_used || look.bytes >= size->second / 2;
  }
  return uses;
}

/// Blocks of one place.
struct Early {
  std::uint64_t bytes = 0;
  std::uint64_t first_born_ns = UINT64_MAX;
  std::uint64_t first_use_ns = UINT64_MAX;  ///< None of them was used before.
  std::vector<std::uint32_t> lives;
  trace::StackId stack = trace::kNoStack;
  Savings savings;
};

/// Nothing came into it that was seen: what of it is not in memory at a look may have been given
/// back, or lie in the swap.
bool was_filled_before(const BlockLife& life, std::uint64_t ns) {
  return (life.read_bytes != 0 && life.first_read_ns <= ns) ||
         (life.filled_bytes != 0 && life.filled_ns <= ns) || life.copied_in_bytes != 0 ||
         life.moved_in_bytes != 0;
}

std::map<std::uint32_t, Early> early_by_place(const Evidence& evidence) {
  const auto uses = first_uses(evidence);
  Places places(evidence.trace.definitions());
  std::map<std::uint32_t, Early> by_place;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    const auto use = uses.find(life.allocation);
    if (use == uses.end() || life.lane != trace::Lane::kHeap || evidence.explained[i] ||
        !life.is_alive_after(evidence.peak) || !use->second.was_used ||
        use->second.unused_until_ns <= evidence.load.peak.at.at_ns ||
        was_filled_before(life, use->second.unused_until_ns)) {
      continue;
    }
    Early& place = by_place[places.of(life.stack)];
    const std::uint64_t bytes = evidence.flow.size_after(i, evidence.peak - 1);
    place.bytes += bytes;
    place.first_born_ns = std::min(place.first_born_ns, life.born_ns);
    place.first_use_ns = std::min(place.first_use_ns, use->second.unused_until_ns);
    place.lives.push_back(i);
    place.stack = life.stack;
    // From the last event before it is used on, so that what stood then is seen beside it.
    const Instant used = evidence.trace.instant_at(use->second.unused_until_ns);
    const trace::EventOrdinal first = std::max(evidence.trace.ordinal(used), life.born + 1) - 1;
    place.savings.add(life.born, static_cast<std::int64_t>(bytes));
    place.savings.add(first, -static_cast<std::int64_t>(bytes));
  }
  return by_place;
}

}  // namespace

void find_early(Evidence& evidence, std::vector<Finding>& findings) {
  for (const auto& [number, place] : early_by_place(evidence)) {
    const auto without =
        place.bytes >= evidence.worth_saying() ? evidence.lower_peak(place.savings) : std::nullopt;
    if (!without) {
      continue;
    }
    Finding finding{.kind = FindingKind::kEarly, .title = "asked for before it was needed"};
    finding.frames = named_stack(evidence.trace.definitions(), place.stack);
    finding.sentence = fmt::format(
        "{}, asked for from {} on, stood at the peak and were not used before {}, which is after "
        "it: no look at their pages found them in memory until then.",
        blocks_text(place.bytes, place.lives.size(), place_text(finding.frames)),
        format_time(place.first_born_ns), format_time(place.first_use_ns));
    finding.bytes = place.bytes;
    finding.at_ns = evidence.load.peak.at.at_ns;
    finding.peak_without_bytes = without;
    finding.remedy = "Asked for when they are used";
    findings.push_back(std::move(finding));
    evidence.explain(place.lives);
  }
}

}  // namespace tidemark::analyzer
