// Memory of which only its regions are seen: an allocator or a run-time system inside the program
// fills them.
//
// `regions`: mappings made by functions of an allocator in the program (mimalloc, jemalloc and
// others), of Java's machine, of V8, or of the runtimes of Go, .NET, Mono, Haskell, D, Chez Scheme
// (Racket) and Boehm's collector (Crystal) hold a fifth of the peak or more, and 16 MiB. What of
// the model was read or copied into them, and what other findings tell by its values, is taken off.
// What is in them is not seen, so there is no peak without them.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/flow_index.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/regions/memory_regions.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tidemark::analyzer {
namespace {

struct Regions {
  RegionOwner owner{};
  std::uint64_t bytes = 0;
  trace::StackId largest = trace::kNoStack;
  std::set<trace::StackId> stacks{};
};

/// By the owner's name.
using RegionsByOwner = std::map<std::string_view, Regions>;

RegionsByOwner regions_of(const LiveSet& live, const LoadedTrace& trace) {
  RegionsByOwner regions;
  for (const LiveStack& stack : live.stacks) {  // Most bytes first.
    if (stack.lane != trace::Lane::kAnon) {
      continue;
    }
    const RegionOwner owner = region_owner(trace, stack.stack);
    if (owner.kind == RegionOwner::Kind::kNone) {
      continue;
    }
    Regions& owned = regions[owner.name];
    if (owned.bytes == 0) {
      owned.owner = owner;
      owned.largest = stack.stack;
    }
    owned.bytes += stack.bytes;
    owned.stacks.insert(stack.stack);
  }
  return regions;
}

std::string sentence_of(const Regions& regions) {
  const std::string bytes = format_size(regions.bytes);
  const RegionOwner& owner = regions.owner;
  if (owner.kind == RegionOwner::Kind::kRunTime) {
    return fmt::format("{} of the peak are the heap of {} and what else it maps for itself: {}.",
                       bytes, owner.heap_of,
                       owner.teller.empty()
                           ? std::string("which objects are in it no call shows")
                           : fmt::format("which objects are in it {} tells", owner.teller));
  }
  return fmt::format(
      "{} of the peak are regions of {}, which is inside the program: it fills them itself, and "
      "a run with libc's malloc shows who holds what is in them.",
      bytes, owner.name);
}

/// Bytes of the model that came into the mappings alive at the peak. At most what they can hold,
/// since a buffer may be read into again and again.
struct ModelInside {
  std::uint64_t read = 0;
  std::uint64_t copied = 0;
  std::uint64_t told = 0;  ///< In all of them, and in blocks whose values other findings tell of.
};

/// What blocks were seen to hold of files, by allocation.
struct KnownByValues {
  std::unordered_set<trace::AllocationNumber> whole;                 ///< At some time.
  std::unordered_map<trace::AllocationNumber, std::uint64_t> parts;  ///< Bytes, at the peak.

  KnownByValues(const trace::Definitions& definitions, std::uint64_t peak_ns) {
    for (const trace::ValueMatch& match : definitions.matches) {
      whole.insert(match.allocation);
    }
    for (const trace::PackedMatch& match : definitions.packed) {
      if (!match.is_part()) {
        whole.insert(match.allocation);
      } else if (is_there_at(match, peak_ns)) {
        parts[match.allocation] += match.bytes;
      }
    }
  }
  [[nodiscard]] std::uint64_t part_bytes(trace::AllocationNumber allocation) const {
    const auto known = parts.find(allocation);
    return known == parts.end() ? 0 : known->second;
  }
};

ModelInside model_inside(const Regions& regions,
                         const Evidence& evidence,
                         const KnownByValues& known) {
  const FlowIndex& flow = evidence.flow;
  const trace::EventOrdinal peak = evidence.peak;
  ModelInside inside;
  for (std::uint32_t i = 0; i < flow.lives().size(); ++i) {
    const BlockLife& life = flow.lives()[i];
    if (life.lane == trace::Lane::kAnon && life.is_alive_after(peak) &&
        regions.stacks.contains(life.stack)) {
      const std::uint64_t room = flow.size_after(i, peak - 1);
      const std::uint64_t read = std::min(life.read_bytes, room);
      const std::uint64_t copied = std::min(life.copied_in_bytes, room - read);
      inside.read += read;
      inside.copied += copied;
      const bool is_told = evidence.explained[i] && known.whole.contains(life.allocation);
      const std::uint64_t parts = std::min(known.part_bytes(life.allocation), room);
      inside.told += is_told ? room : std::max(read + copied, parts);
    }
  }
  return inside;
}

/// What was copied from one mapping of a run-time system into another one, if both were alive at
/// the peak, and the old place was left as it was.
std::uint64_t moved_between(const Regions& regions, const Evidence& evidence) {
  std::uint64_t bytes = 0;
  for (const PlainCopy& copy : evidence.totals.plain_copies) {
    const trace::StackId from = evidence.flow.lives()[copy.source].stack;
    const trace::StackId to = evidence.flow.lives()[copy.target].stack;
    const bool is_inside = regions.stacks.contains(from) && regions.stacks.contains(to);
    bytes +=
        is_inside && evidence.may_be_moved_by_collector(copy.source, copy.target) ? copy.bytes : 0;
  }
  return bytes;
}

}  // namespace

void find_regions(LoadedTrace& trace,
                  const LoadFacts& load,
                  const Evidence* evidence,
                  std::vector<Finding>& findings) {
  constexpr std::uint64_t kTellingBytes = std::uint64_t{16} << 20U;
  constexpr std::uint64_t kTellingPart = 5;
  const std::uint64_t telling = std::max(kTellingBytes, load.peak.footprint_bytes / kTellingPart);
  if (load.peak.lanes[trace::Lane::kAnon] < telling) {
    return;
  }
  const KnownByValues known(trace.definitions(), load.peak.at.at_ns);
  for (const auto& [owner, regions] : regions_of(live_set_at(trace, load.peak.at), trace)) {
    const ModelInside inside =
        evidence == nullptr ? ModelInside{} : model_inside(regions, *evidence, known);
    // What is known of it is reported by its file, or by other findings.
    if (regions.bytes - std::min(regions.bytes, inside.told) < telling) {
      continue;
    }
    Finding finding{.kind = FindingKind::kRegions};
    finding.title = fmt::format("regions of {}", owner);
    finding.sentence = sentence_of(regions);
    if (const std::uint64_t came = inside.read + inside.copied; came != 0) {
      finding.sentence += fmt::format(" {} of the model were {} into them.", format_size(came),
                                      inside.copied == 0 ? "read"
                                      : inside.read == 0 ? "copied"
                                                         : "read or copied");
    }
    const std::uint64_t moved = evidence == nullptr ? 0 : moved_between(regions, *evidence);
    if (moved != 0 && moved >= evidence->worth_saying()) {
      finding.sentence += fmt::format(
          " Its collector moved {} from one of them to another: the old place stays resident until "
          "it is used again.",
          format_size(moved));
    }
    // No tool shows what is in it.
    if (regions.owner.kind == RegionOwner::Kind::kRunTime && regions.owner.teller.empty()) {
      finding.advice =
          "drop what is not needed, and collect before the peak: garbage is in it, too";
    }
    finding.bytes = regions.bytes;
    finding.at_ns = load.peak.at.at_ns;
    finding.frames = named_stack(trace.definitions(), regions.largest);
    findings.push_back(std::move(finding));
  }
}

}  // namespace tidemark::analyzer
