#include "analyzer/tensors/size_match.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kMaxElementBytes = 512;
/// Sizes of tensors and of blocks that candidates come from.
constexpr std::size_t kMaxSizes = 256;
constexpr std::size_t kMaxCandidates = 8;
constexpr std::size_t kMinTensors = 8;
constexpr std::size_t kMinSizes = 3;

/// How many elements a block has room for.
std::uint64_t units_of(SizeRule rule, std::uint64_t elements) {
  constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 48U;
  const std::uint64_t count = std::clamp<std::uint64_t>(elements, 1, kMaxElements);
  return rule == SizeRule::kGrown ? std::bit_ceil(count) : count;
}

struct Candidate {
  SizeRule rule = SizeRule::kSame;
  std::uint64_t element_bytes = 0;

  [[nodiscard]] std::uint64_t predict(const WeightTensor& tensor) const {
    if (rule == SizeRule::kSame) {
      return tensor.bytes;
    }
    return element_bytes * units_of(rule, tensor.elements);
  }
};

/// What alignment and a header may add to a block.
std::uint64_t slack_of(std::uint64_t bytes) {
  constexpr std::uint64_t kPageAndHeader = 4096 + 64;
  return std::min(kPageAndHeader, bytes / 16);
}

/// Distinct values, those with the most bytes first.
std::vector<std::uint64_t> weightiest(
    const std::map<std::uint64_t, std::uint64_t>& bytes_by_value) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted;
  for (const auto& [value, bytes] : bytes_by_value) {
    sorted.emplace_back(bytes, value);
  }
  std::ranges::sort(sorted, std::ranges::greater{});
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMaxSizes); ++i) {
    values.push_back(sorted[i].second);
  }
  return values;
}

/// Rules that explain at least one block each by one tensor: the ones with the most such pairs.
std::vector<Candidate> candidates(std::span<const WeightTensor> tensors,
                                  std::span<const std::uint64_t> blocks) {
  std::map<std::uint64_t, std::uint64_t> elements;
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (const WeightTensor& tensor : tensors) {
    elements[tensor.elements] += tensor.bytes;
  }
  for (const std::uint64_t bytes : blocks) {
    sizes[bytes] += bytes;
  }
  std::map<std::pair<SizeRule, std::uint64_t>, std::size_t> votes;
  const std::vector<std::uint64_t> largest = weightiest(sizes);
  for (const std::uint64_t count : weightiest(elements)) {
    for (const SizeRule rule : {SizeRule::kElements, SizeRule::kGrown}) {
      const std::uint64_t units = units_of(rule, count);
      for (const std::uint64_t bytes : largest) {
        const std::uint64_t each = bytes / units;
        if (each >= 1 && each <= kMaxElementBytes &&
            bytes - each * units <= slack_of(each * units)) {
          ++votes[{rule, each}];
        }
      }
    }
  }
  std::vector<std::pair<std::size_t, Candidate>> sorted;
  for (const auto& [rule, count] : votes) {
    sorted.push_back({count, {rule.first, rule.second}});
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           &std::pair<std::size_t, Candidate>::first);
  std::vector<Candidate> best{{SizeRule::kSame, 0}};
  for (std::size_t i = 0; i < std::min(sorted.size(), kMaxCandidates); ++i) {
    best.push_back(sorted[i].second);
  }
  return best;
}

/// Blocks that are still free, by size; of one size the earliest first.
class FreeBlocks {
 public:
  explicit FreeBlocks(std::span<const std::uint64_t> blocks) {
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
      free_.emplace(blocks[i], i);
    }
  }
  std::optional<std::uint32_t> take(std::uint64_t bytes) {
    const auto found = free_.lower_bound({bytes, 0});
    if (found == free_.end() || found->first - bytes > slack_of(bytes)) {
      return std::nullopt;
    }
    const std::uint32_t block = found->second;
    free_.erase(found);
    return block;
  }

 private:
  std::set<std::pair<std::uint64_t, std::uint32_t>> free_;
};

bool are_in_order(const SizeMatch& match) {
  std::size_t ascending = 0;
  for (std::size_t i = 1; i < match.pairs.size(); ++i) {
    ascending += match.pairs[i - 1].second < match.pairs[i].second ? 1U : 0U;
  }
  return !match.pairs.empty() && ascending * 10 >= (match.pairs.size() - 1) * 9;
}

struct Support {
  std::uint64_t all_bytes = 0;     ///< All tensors.
  std::uint64_t wanted_bytes = 0;  ///< The tensors that were looked for.
  std::uint64_t block_bytes = 0;   ///< The blocks that were found.
  std::uint64_t other_bytes = 0;   ///< Blocks that no tensor matched.
  std::uint64_t same_bytes = 0;    ///< Tensors whose block has exactly their size in the file.
  std::map<std::uint64_t, std::size_t> sizes{};  ///< How many blocks that were found have each.
};

bool is_enough(const SizeMatch& match, const Support& support) {
  const bool is_half = match.tensor_bytes * 2 >= support.all_bytes;
  const std::size_t count = match.pairs.size();
  const bool are_most =
      count * 10 >= match.tensors * 9 && match.tensor_bytes / 9 >= support.wanted_bytes / 10;
  const bool are_alone = count >= 2 * kMinTensors && support.sizes.size() > kMinSizes &&
                         support.other_bytes <= support.block_bytes / 9;
  // Two sizes with the same number of bytes an element are no coincidence if they come in the order
  // of the file; two of the file's own may be the sizes of anything.
  const bool are_two =
      support.sizes.size() == 2 && count >= 2 * kMinTensors && are_most && match.is_in_order &&
      support.same_bytes < match.tensor_bytes / 10 &&
      std::ranges::all_of(support.sizes, [](const auto& size) { return size.second > 2; });
  return is_half && (are_two || (count >= kMinTensors && support.sizes.size() >= kMinSizes &&
                                 (are_most || are_alone)));
}

std::optional<SizeMatch> match_by(const Candidate& candidate,
                                  std::span<const WeightTensor> tensors,
                                  std::span<const std::uint64_t> blocks,
                                  std::uint64_t all_bytes,
                                  std::uint64_t least_bytes) {
  SizeMatch match{.rule = candidate.rule, .element_bytes = candidate.element_bytes, .pairs = {}};
  Support support;
  FreeBlocks free(blocks);
  for (std::uint32_t i = 0; i < tensors.size(); ++i) {
    support.all_bytes += tensors[i].bytes;
    const std::uint64_t bytes = candidate.predict(tensors[i]);
    if (bytes < least_bytes) {
      continue;
    }
    ++match.tensors;
    support.wanted_bytes += tensors[i].bytes;
    if (const auto block = free.take(bytes)) {
      match.pairs.emplace_back(i, *block);
      match.tensor_bytes += tensors[i].bytes;
      match.elements += tensors[i].elements;
      support.block_bytes += blocks[*block];
      support.same_bytes += bytes == tensors[i].bytes ? bytes : 0;
      ++support.sizes[blocks[*block]];
    }
  }
  support.other_bytes = all_bytes - std::min(all_bytes, support.block_bytes);
  match.is_in_order = are_in_order(match);
  return is_enough(match, support) ? std::optional(std::move(match)) : std::nullopt;
}

}  // namespace

std::optional<SizeMatch> match_sizes(std::span<const WeightTensor> tensors,
                                     std::span<const std::uint64_t> blocks,
                                     std::uint64_t all_bytes,
                                     std::uint64_t least_bytes) {
  std::optional<SizeMatch> best;
  if (blocks.size() < kMinTensors) {
    return best;
  }
  for (const Candidate& candidate : candidates(tensors, blocks)) {
    auto match = match_by(candidate, tensors, blocks, all_bytes, least_bytes);
    // If equal, the simpler rule stays, which comes first.
    if (match && (!best || match->pairs.size() > best->pairs.size())) {
      best = std::move(match);
    }
  }
  return best;
}

}  // namespace tidemark::analyzer
