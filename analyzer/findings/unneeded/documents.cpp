#include "analyzer/findings/unneeded/documents.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/query/pass/excerpt.hpp"

#include <algorithm>
#include <unordered_set>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kMinObjects = 1000;
/// An object of a document is a node, a string, or a table of a few of them.
constexpr std::uint64_t kMaxObjectBytes = 1024;
/// The arrays of a tree of values are a large block each.
constexpr std::uint64_t kMinArrays = 4;
/// The part of the model that a document must have.
constexpr std::uint64_t kDocumentPart = 5;

std::uint64_t bytes_of(const Standing& standing, trace::StackId stack) {
  const auto known = standing.find(trace::index(stack));
  return known == standing.end() ? 0 : known->second;
}

Standing find_standing(const Evidence& evidence, std::uint64_t ns) {
  Standing standing;
  for (const LiveStack& stack : live_set_at(evidence.trace, evidence.trace.instant_at(ns)).stacks) {
    if (trace::in_footprint(stack.lane)) {
      standing[trace::index(stack.stack)] += stack.bytes;
    }
  }
  return standing;
}

/// Large blocks at the peak, by stack, that no read or copy of the model was seen to go into, and
/// that no finding names.
std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> unread_lives(
    const Evidence& evidence) {
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> unread;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (lives[i].is_alive_after(evidence.peak) && !lives[i].is_mapping && !lives[i].holds_model() &&
        !evidence.explained[i]) {
      unread[trace::index(lives[i].stack)].push_back(i);
    }
  }
  return unread;
}

bool has_small_ones(const LiveStack& stack) {
  return stack.bytes / stack.blocks < kLargeBlockBytes;
}

}  // namespace

bool Document::has_objects() const {
  return objects >= kMinObjects && object_bytes / objects <= kMaxObjectBytes;
}

Documents::Documents(const Evidence& evidence, std::uint64_t begin_ns)
    : evidence_(evidence),
      places_(*evidence.places),
      before_(find_standing(evidence, begin_ns)),
      unread_(unread_lives(evidence)) {
  for (const LiveStack& stack : live_set_at(evidence.trace, evidence.load.peak.at).stacks) {
    if (stack.lane == trace::Lane::kHeap && stack.blocks != 0 &&
        (has_small_ones(stack) || has_unread_ones(stack)) &&
        bytes_of(before_, stack.stack) <= stack.bytes / kLeftPart) {
      came_.push_back(stack);
      add(stack, at_peak_);
    }
  }
}

bool Documents::may_be_some() const {
  return std::ranges::any_of(at_peak_, [this](const auto& document) {
    return is_of_objects(document.second) || may_be_arrays(document.second);
  });
}

bool Documents::is_of_objects(const Document& document) const {
  return document.has_objects() &&
         document.object_bytes >=
             std::max(evidence_.worth_saying(), evidence_.load.model.bytes / kDocumentPart);
}

bool Documents::may_be_arrays(const Document& document) const {
  return document.blocks - document.objects >= kMinArrays &&
         is_most_of(document.bytes - document.object_bytes, document.bytes) &&
         document.bytes >=
             std::max(evidence_.worth_saying(), evidence_.load.model.bytes / kDocumentPart);
}

std::vector<std::uint32_t> Documents::lives_of(const Document& document) const {
  std::vector<std::uint32_t> lives;
  for (const trace::StackId stack : document.stacks) {
    if (const auto known = unread_.find(trace::index(stack)); known != unread_.end()) {
      lives.insert(lives.end(), known->second.begin(), known->second.end());
    }
  }
  return lives;
}

std::uint64_t Documents::bytes_at(const Document& document, std::uint64_t ns) {
  const std::uint32_t place = places_.of(document.stacks.front());
  std::uint64_t bytes = 0;
  for (const auto& [stack, standing] : *standing_at(ns)) {
    bytes += places_.of(trace::StackId{stack}) == place ? standing : 0;
  }
  return bytes;
}

Later Documents::at(std::uint64_t ns) {
  const auto then = standing_at(ns);
  Later later{.at_ns = ns};
  std::unordered_set<std::uint32_t> gone;
  for (const LiveStack& stack : came_) {
    if (bytes_of(*then, stack.stack) <= stack.bytes / kLeftPart) {
      add(stack, later.documents);
      gone.insert(trace::index(stack.stack));
    }
  }
  for (const auto& [stack, bytes] : *then) {
    const std::uint64_t stood = bytes_of(before_, trace::StackId{stack});
    later.staying_bytes += gone.contains(stack) ? 0 : bytes - std::min(bytes, stood);
  }
  return later;
}

std::uint64_t Documents::objects_before(const Document& document,
                                        std::uint64_t ns,
                                        std::uint64_t later_ns) {
  const std::uint32_t place = places_.of(document.stacks.front());
  const auto then = standing_at(ns);
  const auto later = standing_at(later_ns);
  std::uint64_t bytes = 0;
  for (const LiveStack& stack : came_) {
    if (has_small_ones(stack) && places_.of(stack.stack) != place) {
      bytes += std::min(bytes_of(*then, stack.stack), bytes_of(*later, stack.stack));
    }
  }
  return bytes;
}

std::shared_ptr<const Standing> Documents::standing_at(std::uint64_t ns) {
  constexpr std::size_t kMaxKept = std::size_t{1} << 20U;  // Some 40 bytes each.
  if (const auto known = kept_.find(ns); known != kept_.end()) {
    return known->second;
  }
  if (kept_stacks_ > kMaxKept) {
    kept_.clear();
    kept_stacks_ = 0;
  }
  const auto standing = std::make_shared<const Standing>(find_standing(evidence_, ns));
  kept_stacks_ += standing->size();
  kept_.emplace(ns, standing);
  return standing;
}

/// A block that a file was read into whole is not part of a document.
bool Documents::has_unread_ones(const LiveStack& stack) const {
  const auto known = unread_.find(trace::index(stack.stack));
  return known != unread_.end() && known->second.size() == stack.blocks;
}

void Documents::add(const LiveStack& stack, std::map<std::uint32_t, Document>& documents) {
  Document& document = documents[places_.of(stack.stack)];
  document.bytes += stack.bytes;
  document.blocks += stack.blocks;
  document.object_bytes += has_small_ones(stack) ? stack.bytes : 0;
  document.objects += has_small_ones(stack) ? stack.blocks : 0;
  document.stacks.push_back(stack.stack);
  if (has_small_ones(stack)) {
    document.object_stacks.push_back(stack.stack);
  }
}

bool is_told_of(const std::vector<Finding>& findings, const std::string& place) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.peak_without_bytes && !finding.frames.empty() &&
           place_text(finding.frames) == place;
  });
}

}  // namespace tidemark::analyzer
