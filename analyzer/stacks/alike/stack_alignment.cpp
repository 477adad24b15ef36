#include "analyzer/stacks/alike/stack_alignment.hpp"

#include <algorithm>
#include <cstdint>

namespace tidemark::analyzer {
namespace {

using Indices = std::vector<std::size_t>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Cells of the table that finds the best alignment: a few milliseconds and one bit each.
constexpr std::size_t kMaxCells = std::size_t{1} << 22U;

constexpr std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : b - a;
}

/// Outermost first.
std::vector<std::uint32_t> lines_of(const ComparableTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> lines;
  for (; node != ComparableTree::kRoot; node = tree.caller_of(node)) {
    lines.push_back(tree.frame_of(node).line);
  }
  std::ranges::reverse(lines);
  return lines;
}

void sort_by_lines(const ComparableTree& tree,
                   std::span<const ComparableStack> stacks,
                   Indices& indices) {
  if (indices.size() < 2) {
    return;
  }
  std::vector<std::pair<std::vector<std::uint32_t>, std::size_t>> by_lines;
  by_lines.reserve(indices.size());
  for (const std::size_t i : indices) {
    by_lines.emplace_back(lines_of(tree, stacks[i].node), i);
  }
  std::ranges::stable_sort(
      by_lines, {}, [](const auto& one) -> const auto& { return one.first; });
  std::ranges::transform(by_lines, indices.begin(), [](const auto& one) { return one.second; });
}

void sort_by_bytes(std::span<const ComparableStack> stacks, Indices& indices) {
  std::ranges::stable_sort(indices, std::ranges::greater{},
                           [stacks](std::size_t i) { return stacks[i].bytes; });
}

Pairs in_order(const Indices& before, const Indices& after) {
  Pairs pairs;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    pairs.emplace_back(before[i], after[i]);
  }
  return pairs;
}

/// For each of the fewer, in order, the position among the more: the choice with the least sum of
/// distances. cost[j] is that of the first i of the fewer among the first j of the more.
Indices cheapest_positions(const std::vector<std::uint64_t>& few,
                           const std::vector<std::uint64_t>& many) {
  const std::size_t slack = many.size() - few.size();
  std::vector<std::uint64_t> cost(slack + 1, 0);  // At j - i: only these j leave room for the rest.
  std::vector<bool> takes(few.size() * (slack + 1));
  for (std::size_t i = 0; i < few.size(); ++i) {
    for (std::size_t skip = 0; skip <= slack; ++skip) {
      const std::uint64_t taken = cost[skip] + distance(few[i], many[i + skip]);
      const bool takes_it = skip == 0 || taken < cost[skip - 1];
      takes[i * (slack + 1) + skip] = takes_it;
      cost[skip] = takes_it ? taken : cost[skip - 1];
    }
  }
  Indices positions(few.size());
  std::size_t skip = slack;
  for (std::size_t i = few.size(); i-- > 0;) {
    while (!takes[i * (slack + 1) + skip]) {
      --skip;
    }
    positions[i] = i + skip;
  }
  return positions;
}

std::vector<std::uint64_t> bytes_of(std::span<const ComparableStack> stacks,
                                    const Indices& indices) {
  std::vector<std::uint64_t> bytes;
  bytes.reserve(indices.size());
  for (const std::size_t i : indices) {
    bytes.push_back(stacks[i].bytes);
  }
  return bytes;
}

Indices picked(const Indices& from, const Indices& positions) {
  Indices indices;
  indices.reserve(positions.size());
  for (const std::size_t position : positions) {
    indices.push_back(from[position]);
  }
  return indices;
}

}  // namespace

Pairs align_by_lines(const ComparableTree& tree,
                     std::span<const ComparableStack> before,
                     Indices& of_before,
                     std::span<const ComparableStack> after,
                     Indices& of_after) {
  if (of_before.empty() || of_after.empty()) {
    return {};
  }
  const std::size_t few = std::min(of_before.size(), of_after.size());
  const std::size_t slack = std::max(of_before.size(), of_after.size()) - few;
  if (few * (slack + 1) > kMaxCells) {
    sort_by_bytes(before, of_before);
    sort_by_bytes(after, of_after);
    return in_order(of_before, of_after);
  }
  sort_by_lines(tree, before, of_before);
  sort_by_lines(tree, after, of_after);
  const auto before_bytes = bytes_of(before, of_before);
  const auto after_bytes = bytes_of(after, of_after);
  if (of_before.size() <= of_after.size()) {
    return in_order(of_before, picked(of_after, cheapest_positions(before_bytes, after_bytes)));
  }
  return in_order(picked(of_before, cheapest_positions(after_bytes, before_bytes)), of_after);
}

}  // namespace tidemark::analyzer
