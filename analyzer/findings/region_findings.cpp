// Memory of which only its regions are seen: an allocator or a run-time system inside the program
// fills them.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/flow_index.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/regions/memory_regions.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::analyzer {
namespace {

struct Regions {
  RegionOwner::Kind kind = RegionOwner::Kind::kNone;
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
      owned.kind = owner.kind;
      owned.largest = stack.stack;
    }
    owned.bytes += stack.bytes;
    owned.stacks.insert(stack.stack);
  }
  return regions;
}

std::string heap_sentence(const std::string& bytes, std::string_view of, std::string_view teller) {
  return fmt::format(
      "{} of the peak are the heap of {} and what else it maps for itself: which objects are in it "
      "{} tells.",
      bytes, of, teller);
}

std::string sentence_of(std::string_view owner, const Regions& regions) {
  const std::string bytes = format_size(regions.bytes);
  switch (regions.kind) {
    case RegionOwner::Kind::kJava:
      return heap_sentence(bytes, "Java's machine", "a heap dump (jmap)");
    case RegionOwner::Kind::kV8:
      return heap_sentence(bytes, "V8", "a heap snapshot (node --heapsnapshot-signal)");
    case RegionOwner::Kind::kGo:
      return heap_sentence(bytes, "Go's runtime", "a heap profile (runtime/pprof)");
    default:
      return fmt::format(
          "{} of the peak are regions of {}, which is inside the program: it fills them itself, "
          "and "
          "a run with libc's malloc shows who holds what is in them.",
          bytes, owner);
  }
}

/// Of the model, into those that stood at the peak: what they can hold of it, as a buffer may be
/// read into again and again.
/// @param peak how many events there were before it.
std::uint64_t bytes_read_into(const Regions& regions,
                              const FlowIndex& flow,
                              trace::EventOrdinal peak) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < flow.lives().size(); ++i) {
    const BlockLife& life = flow.lives()[i];
    if (life.lane == trace::Lane::kAnon && life.is_alive_after(peak) &&
        regions.stacks.contains(life.stack)) {
      bytes += std::min(life.read_bytes, flow.size_after(i, peak - 1));
    }
  }
  return bytes;
}

}  // namespace

void find_regions(LoadedTrace& trace,
                  const LoadFacts& load,
                  const FlowIndex* flow,
                  std::vector<Finding>& findings) {
  constexpr std::uint64_t kTellingBytes = std::uint64_t{16} << 20U;
  constexpr std::uint64_t kTellingPart = 5;
  const std::uint64_t telling = std::max(kTellingBytes, load.peak.footprint_bytes / kTellingPart);
  if (load.peak.lanes[trace::Lane::kAnon] < telling) {
    return;
  }
  const trace::EventOrdinal peak = trace.ordinal(load.peak.at);
  for (const auto& [owner, regions] : regions_of(live_set_at(trace, load.peak.at), trace)) {
    const std::uint64_t read = flow == nullptr ? 0 : bytes_read_into(regions, *flow, peak);
    // What was read there is told by its file.
    if (regions.bytes - std::min(regions.bytes, read) < telling) {
      continue;
    }
    Finding finding{.kind = FindingKind::kRegions};
    finding.title = fmt::format("regions of {}", owner);
    finding.sentence = sentence_of(owner, regions);
    if (read != 0) {
      finding.sentence += fmt::format(" {} of the model were read into them.", format_size(read));
    }
    finding.bytes = regions.bytes;
    finding.at_ns = load.peak.at.at_ns;
    finding.frames = named_stack(trace.definitions(), regions.largest);
    findings.push_back(std::move(finding));
  }
}

}  // namespace tidemark::analyzer
