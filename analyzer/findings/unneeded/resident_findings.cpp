// Findings about what the system gave, or did not.
//
// `kept`: a fifth of the peak and 16 MiB, freed and still resident. Found in one of two ways
// (KeptMemory):
// - For 200 ms or more, more was resident than asked for, and the heap had once had that much and
//   given it back. Never more than the heap's highest, nor than the lowest resident memory since.
//   What was resident beyond the heap before is memory that nobody sees, and is taken off.
// - A look at the heap's pages (`HeapLook`) found more than its blocks, and 24 bytes beside each,
//   explain.
// What is freed in the last twentieth of the run, or step after step until its end, goes with the
// program; so does what is freed since the largest process asks for memory only below `exit` or the
// end of its interpreter (query/footprint/program_end).
//
// `refused`: a request of 1 MiB or more was refused within the last second (or tenth) of a run that
// failed.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/text/exit_status.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

/// What the stacks of one place hold.
struct HeldAtPlace {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  trace::StackId largest{};  ///< The first met: stacks come with most bytes first.
};

/// What is still in use in the heap, and so keeps the pages around it.
std::string pinned_text(const Evidence& evidence, Finding& finding) {
  const LiveSet live =
      certain_live_set_at(evidence.trace, evidence.trace.instant_at(evidence.load.kept.at_ns));
  Places places(evidence.trace.definitions());
  std::map<std::uint32_t, HeldAtPlace> held;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  for (const LiveStack& stack : live.stacks) {
    if (stack.lane != trace::Lane::kHeap || stack.blocks == 0) {
      continue;
    }
    const auto [place, is_new] =
        held.try_emplace(places.of(stack.stack), HeldAtPlace{.largest = stack.stack});
    place->second.bytes += stack.bytes;
    place->second.blocks += stack.blocks;
    bytes += stack.bytes;
    blocks += stack.blocks;
  }
  if (held.empty()) {
    return "Nothing of the heap was in use then.";
  }
  const HeldAtPlace& most = std::ranges::max_element(held, {}, [](const auto& entry) {
                              return entry.second.bytes;
                            })->second;
  finding.frames = named_stack(evidence.trace.definitions(), most.largest);
  const std::string part = most.blocks == blocks ? std::string()
                           : most.bytes > bytes / 2
                               ? ", most"
                               : fmt::format(", {} of them", format_size(most.bytes));
  return fmt::format("In use between them: {} in {} {}{} of {}.", format_size(bytes),
                     format_count(blocks), blocks == 1 ? "block" : "blocks", part,
                     place_text(finding.frames));
}

}  // namespace

void find_kept_memory(const Evidence& evidence, std::vector<Finding>& findings) {
  const KeptMemory& kept = evidence.load.kept;
  if (kept.bytes < std::max(16 * kMiB, evidence.load.peak.footprint_bytes / 5)) {
    return;
  }
  Finding finding{.kind = FindingKind::kKept, .title = "freed, but still resident"};
  finding.sentence = fmt::format(
      "{} that had been freed by {} stayed resident: {} of private memory against {} requested. {} "
      "The allocator keeps such pages; glibc's malloc_trim(0) gives them back.",
      format_size(kept.bytes), format_time(kept.at_ns), format_size(kept.resident_bytes),
      format_size(kept.asked_bytes), pinned_text(evidence, finding));
  finding.bytes = kept.bytes;
  finding.at_ns = kept.at_ns;
  findings.push_back(std::move(finding));
}

void find_refusals(const LoadFacts& load, std::vector<Finding>& findings) {
  if (!load.may_have_failed_for_memory() || load.last_failure->size < kMiB) {
    return;
  }
  Finding finding{.kind = FindingKind::kRefused, .title = "an allocation failed"};
  finding.sentence = fmt::format(
      "An allocation of {} failed at {}; the program ended {} later with exit status {}.",
      format_size(load.last_failure->size), format_time(load.last_failure->at_ns),
      format_time(load.duration_ns - load.last_failure->at_ns),
      exit_status_text(load.session.exit_status));
  finding.bytes = load.last_failure->size;
  finding.at_ns = load.last_failure->at_ns;
  finding.frames = load.last_failure_stack;
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
