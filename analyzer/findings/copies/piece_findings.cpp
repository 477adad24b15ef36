// A file that came in many small blocks, which were then put together: a list of chunks and the
// bytes that it was joined to. Small blocks are in no read and no copy by themselves, but all of
// one place grow together, as the file is read.
//
// `twice` holds if all of this does:
// - Nine tenths of the model were read into blocks below 64 KiB, or to an unknown place.
// - The small blocks of one place are as large as the model at the peak, and were as large as what
//   had been read at a quarter, at half and at three quarters of the reading.
// - Large blocks at the peak hold nine tenths of the model, by where it was read or copied, or by
//   their values, also in another order. A place's large blocks do not count as its small ones.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/load/reading_progress.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "analyzer/query/pass/excerpt.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Blocks of one place.
struct Pieces {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::vector<trace::StackId> stacks{};  ///< The one with most bytes first.
};

using PiecesByPlace = std::map<std::uint32_t, Pieces>;

/// As large as so much of a file, with what an object's header takes of each.
bool are_as_large_as(std::uint64_t pieces, std::uint64_t file) {
  return is_most_of(pieces, file) && pieces <= file + file / 4;
}

/// Only small blocks: a line may ask for large ones as well.
PiecesByPlace small_by_place(LoadedTrace& trace, Places& places, const Instant& at) {
  PiecesByPlace found;
  for (const LiveStack& stack : live_set_at(trace, at).stacks) {
    if (stack.lane == trace::Lane::kHeap && stack.bytes != 0 &&
        stack.bytes / stack.blocks < kLargeBlockBytes) {
      Pieces& pieces = found[places.of(stack.stack)];
      pieces.bytes += stack.bytes;
      pieces.blocks += stack.blocks;
      pieces.stacks.push_back(stack.stack);
    }
  }
  return found;
}

/// Keeps the places whose blocks, at a quarter, at half and at three quarters of the reading, were
/// as large together as what had been read.
void keep_those_in_step(const Evidence& evidence, Places& places, PiecesByPlace& candidates) {
  constexpr std::array<std::uint64_t, 3> kQuarters{1, 2, 3};
  for (const std::uint64_t quarters : kQuarters) {
    const auto ns = when_model_bytes(evidence.load, evidence.load.model.bytes / 4 * quarters);
    if (!ns || candidates.empty()) {
      return candidates.clear();
    }
    const std::uint64_t read = model_bytes_until(evidence.load, *ns);
    const auto then = small_by_place(evidence.trace, places, evidence.trace.instant_at(*ns));
    std::erase_if(candidates, [&](const auto& candidate) {
      const auto known = then.find(candidate.first);
      return known == then.end() || !are_as_large_as(known->second.bytes, read);
    });
  }
}

/// Blocks that were seen at the peak, or soon after, to hold the model's values in another order.
std::set<trace::AllocationNumber> packed_at_peak(const Evidence& evidence) {
  const std::uint64_t until_ns =
      std::max(evidence.load.peak.at.at_ns, made_at_once_until_ns(evidence.load));
  const ModelFiles model(evidence.load, evidence.trace.definitions());
  std::set<trace::AllocationNumber> packed;
  for (const trace::PackedMatch& match : evidence.trace.definitions().packed) {
    if (model.contains(trace::index(match.file)) && match.distance != 0 &&
        match.from_ns <= until_ns && evidence.high_since_ns() <= match.until_ns) {
      packed.insert(match.allocation);
    }
  }
  return packed;
}

/// Large blocks at the peak that hold the model.
struct ModelHolders {
  std::vector<std::uint32_t> lives;
  bool are_packed = true;  ///< All of them hold it in another order.
};

/// By where it was read or copied, or by their values; none where they hold less than most of it.
ModelHolders holders_of_model(const Evidence& evidence) {
  const BlockContents contents(evidence.trace.definitions(),
                               {.since_ns = evidence.high_since_ns(),
                                .at_ns = evidence.load.peak.at.at_ns,
                                .until_ns = made_at_once_until_ns(evidence.load)});
  const auto packed = packed_at_peak(evidence);
  ModelHolders holders;
  std::uint64_t sum = 0;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (!lives[i].is_alive_after(evidence.peak) || lives[i].is_mapping) {
      continue;
    }
    const std::uint64_t size = evidence.flow.size_after(i, evidence.peak - 1);
    const bool is_packed = packed.contains(lives[i].allocation);
    const std::uint64_t held =
        is_packed ? size : std::min(size, contents.bytes_in(lives[i].allocation, size));
    if (held != 0) {
      holders.lives.push_back(i);
      holders.are_packed = holders.are_packed && is_packed;
      sum += held;
    }
  }
  return is_most_of(sum, evidence.load.model.bytes) ? holders : ModelHolders();
}

void tell_pieces(const Evidence& evidence,
                 const Pieces& pieces,
                 const ModelHolders& holders,
                 std::vector<Finding>& findings) {
  const LowerPeak without = evidence.peak_without_stacks(pieces.stacks);
  if (!evidence.is_lower(without.bytes, pieces.bytes)) {
    return;
  }
  Finding finding{.kind = FindingKind::kTwice, .title = "two copies of the weights"};
  const trace::Definitions& definitions = evidence.trace.definitions();
  const AskingPlace held = asking_place(evidence, holders.lives);
  const auto places = told_places(
      {named_stack(definitions, pieces.stacks.front()), named_stack(definitions, held.stack)});
  finding.sentence = fmt::format(
      "{}, {} each, came one after the other as the file was read, and the weights are in {} {} of "
      "{}{} as well{}.",
      blocks_text(pieces.bytes, pieces.blocks, places.front()),
      format_size(pieces.bytes / pieces.blocks), format_count(holders.lives.size()),
      holders.lives.size() == 1 ? "block" : "blocks", places.back(), held.rest,
      holders.are_packed ? ", in another order" : "");
  finding.bytes = pieces.bytes;
  finding.stacks = pieces.stacks;
  add_finding(evidence, without, pieces.stacks.front(), std::move(finding), findings);
}

}  // namespace

void find_pieces(Evidence& evidence, std::vector<Finding>& findings) {
  const std::uint64_t model = evidence.load.model.bytes;
  // A sample does not say which place small blocks belong to.
  const bool are_sampled = evidence.trace.definitions().session.sample_bytes != 0;
  if (are_sampled || !is_most_of(evidence.totals.unseen_read_bytes, model)) {
    return;
  }
  Places& places = *evidence.places;
  PiecesByPlace candidates = small_by_place(evidence.trace, places, evidence.load.peak.at);
  std::erase_if(candidates, [model](const auto& candidate) {
    return !are_as_large_as(candidate.second.bytes, model);
  });
  if (candidates.empty()) {
    return;
  }
  const auto holders = holders_of_model(evidence);
  if (holders.lives.empty()) {
    return;
  }
  keep_those_in_step(evidence, places, candidates);
  for (const auto& [place, pieces] : candidates) {
    tell_pieces(evidence, pieces, holders, findings);
  }
}

}  // namespace tidemark::analyzer
