// Heap blocks that were unused until after the peak, by looks at their pages; also device memory
// that a driver keeps in the host's.
//
// `early`: a look after the peak found next to nothing of a block of the peak in memory (less than
// a sixteenth), as all looks before it had, and nothing had been seen to come into it.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Less than this part of a block is next to nothing: an allocator's or a vector's own words at its
/// ends.
constexpr std::uint64_t kNothingPart = 16;

/// By allocation, until when a block was certainly unused: the last look before which it never was
/// used.
std::unordered_map<trace::AllocationNumber, std::uint64_t> unused_until(const Evidence& evidence) {
  std::unordered_map<trace::AllocationNumber, std::uint64_t> sizes;
  for (const BlockLife& life : evidence.flow.lives()) {
    sizes[life.allocation] = life.size;
  }
  std::unordered_map<trace::AllocationNumber, std::uint64_t> until_ns;
  std::unordered_set<trace::AllocationNumber> were_used;
  for (const trace::Look& look : evidence.trace.definitions().looks) {
    const auto size = sizes.find(look.allocation);
    if (size == sizes.end() || were_used.contains(look.allocation)) {
      continue;
    }
    if (look.bytes > size->second / kNothingPart) {
      were_used.insert(look.allocation);
    } else {
      until_ns[look.allocation] = look.at_ns;
    }
  }
  return until_ns;
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

/// Mappings count by their touched part.
bool can_wait(trace::Lane lane) {
  return lane == trace::Lane::kHeap || lane == trace::Lane::kDevice;
}

/// Whether something was seen to come into it: then what is not in memory at a look may have been
/// given back, or be in the swap.
bool was_filled_before(const BlockLife& life, std::uint64_t ns) {
  return (life.read_bytes != 0 && life.first_read_ns <= ns) ||
         (life.filled_bytes != 0 && life.filled_ns <= ns) || life.copied_in_bytes != 0 ||
         life.moved_in_bytes != 0;
}

std::map<std::uint32_t, Early> early_by_place(const Evidence& evidence) {
  const auto until_ns = unused_until(evidence);
  Places& places = *evidence.places;
  std::map<std::uint32_t, Early> by_place;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    const auto until = until_ns.find(life.allocation);
    if (until == until_ns.end() || !can_wait(life.lane) || evidence.explained[i] ||
        !life.is_alive_after(evidence.peak) || until->second <= evidence.load.peak.at.at_ns ||
        was_filled_before(life, until->second)) {
      continue;
    }
    Early& place = by_place[places.of(life.stack)];
    const std::uint64_t bytes = evidence.flow.size_after(i, evidence.peak - 1);
    place.bytes += bytes;
    place.first_born_ns = std::min(place.first_born_ns, life.born_ns);
    place.first_use_ns = std::min(place.first_use_ns, until->second);
    place.lives.push_back(i);
    place.stack = life.stack;
    // From the last event before its first use, so that it is compared with what was there then.
    const Instant used = evidence.trace.instant_at(until->second);
    const trace::EventOrdinal first = std::max(evidence.trace.ordinal(used), life.born + 1) - 1;
    place.savings.add(life.born, static_cast<std::int64_t>(bytes), saved_of(life));
    place.savings.add(first, -static_cast<std::int64_t>(bytes), saved_of(life));
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
    without->note(finding);
    finding.remedy = "Asked for when they are used";
    findings.push_back(std::move(finding));
    evidence.explain(place.lives);
  }
}

}  // namespace tidemark::analyzer
