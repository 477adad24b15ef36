#include "analyzer/html/contents/folding.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace tidemark::html {
namespace {

constexpr std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32U | low;
}

}  // namespace

HeldStacks::Held& HeldStacks::held_by(const LiveChange& change) {
  const std::uint64_t stack = analyzer::key_of(trace::index(change.stack), change.lane);
  if (const auto known = place_of_stack_.find(stack); known != place_of_stack_.end()) {
    return held_[known->second];
  }
  const std::uint32_t node = planter_.plant(change.stack);
  const auto reading = static_cast<std::uint32_t>(
      readings_.number_of(change.stack, static_cast<char32_t>(change.lane)));
  const auto [place, is_new] = place_of_.try_emplace(pair_of(node, reading), held_.size());
  if (is_new) {
    held_.push_back({.node = node, .reading = reading, .lane = change.lane});
  }
  place_of_stack_.emplace(stack, place->second);
  return held_[place->second];
}

void HeldStacks::apply(const LiveChange& change) {
  if (!trace::in_footprint(change.lane)) {
    return;  // File mappings are no part of the footprint.
  }
  Held& held = held_by(change);
  held.bytes += static_cast<std::uint64_t>(change.bytes);
  held.blocks += static_cast<std::uint64_t>(change.blocks);
  bytes_ += static_cast<std::uint64_t>(change.bytes);
}

std::uint32_t HeldStacks::reading_of(const LiveChange& change) const {
  return held_[place_of_stack_.at(analyzer::key_of(trace::index(change.stack), change.lane))]
      .reading;
}

/// By node, where its stacks are listed: at itself, or at the next ancestor whose branch, which is
/// all that grows from it, holds enough.
std::vector<std::uint32_t> HeldStacks::nodes_listed_at(std::uint64_t least_bytes) const {
  const auto& nodes = forest_.nodes();
  std::vector<std::uint64_t> branches(nodes.size());
  for (const Held& held : held_) {
    branches[held.node] += held.bytes;
  }
  for (std::size_t node = nodes.size(); node-- > 1;) {
    branches[nodes[node].parent] += branches[node];
  }
  std::vector<std::uint32_t> listed_at(nodes.size());
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    listed_at[node] = branches[node] < least_bytes ? listed_at[nodes[node].parent] : node;
  }
  return listed_at;
}

std::vector<std::uint64_t> HeldStacks::bytes_of_readings() const {
  std::vector<std::uint64_t> bytes;
  for (const Held& held : held_) {
    bytes.resize(std::max<std::size_t>(bytes.size(), held.reading + 1));
    bytes[held.reading] += held.bytes;
  }
  return bytes;
}

std::size_t HeldStacks::stack_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(bytes_of_readings(), [](std::uint64_t bytes) { return bytes != 0; }));
}

/// By place in `held_`: not folded.
std::vector<bool> HeldStacks::listed(const std::vector<std::uint32_t>& listed_at,
                                     std::uint64_t least_row_bytes) const {
  const auto bytes = bytes_of_readings();
  std::vector<std::size_t> largest(bytes.size(), held_.size());
  std::vector<bool> is_listed(held_.size());
  for (std::size_t i = 0; i < held_.size(); ++i) {
    std::size_t& known = largest[held_[i].reading];
    known = known == held_.size() || held_[known].bytes < held_[i].bytes ? i : known;
    is_listed[i] = held_[i].bytes != 0 && listed_at[held_[i].node] == held_[i].node;
  }
  for (std::size_t reading = 0; reading < bytes.size(); ++reading) {
    if (bytes[reading] != 0 && bytes[reading] >= least_row_bytes) {
      is_listed[largest[reading]] = true;
    }
  }
  return is_listed;
}

/// By reading.
std::vector<std::uint32_t> HeldStacks::rows_of(const std::vector<bool>& is_listed) const {
  const auto bytes = bytes_of_readings();
  std::vector<bool> has_row(bytes.size());
  for (std::size_t i = 0; i < held_.size(); ++i) {
    has_row[held_[i].reading] = has_row[held_[i].reading] || is_listed[i];
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t reading = 0; reading < bytes.size(); ++reading) {
    if (has_row[reading]) {
      order.push_back(reading);
    }
  }
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t reading) { return bytes[reading]; });
  std::vector<std::uint32_t> rows(bytes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    rows[order[i]] = static_cast<std::uint32_t>(i + 1);
  }
  return rows;
}

std::unordered_map<std::uint64_t, std::uint32_t> HeldStacks::rows_by_stack(
    const FoldLimits& limits) const {
  const auto rows = rows_of(listed(nodes_listed_at(limits.branch_bytes), limits.row_bytes));
  std::unordered_map<std::uint64_t, std::uint32_t> by_stack;
  for (const auto& [stack, place] : place_of_stack_) {
    if (const std::uint32_t row = rows[held_[place].reading]; row != 0) {
      by_stack.emplace(stack, row);
    }
  }
  return by_stack;
}

/// Places in `held_`, those of one reading one behind the other.
std::vector<std::uint32_t> HeldStacks::by_reading() const {
  std::vector<std::uint32_t> begins;
  for (const Held& held : held_) {
    begins.resize(std::max<std::size_t>(begins.size(), held.reading + std::size_t{2}));
    ++begins[held.reading + std::size_t{1}];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::uint32_t> places(held_.size());
  for (std::uint32_t place = 0; place < held_.size(); ++place) {
    places[begins[held_[place].reading]++] = place;
  }
  return places;
}

std::vector<FoldedStack> HeldStacks::folded(const FoldLimits& limits) const {
  const auto listed_at = nodes_listed_at(limits.branch_bytes);
  const auto is_listed = listed(listed_at, limits.row_bytes);
  const auto rows = rows_of(is_listed);
  std::map<std::tuple<std::uint32_t, trace::Lane, bool, std::uint32_t>, FoldedStack> kept;
  std::vector<std::uint32_t> counted(forest_.nodes().size(), UINT32_MAX);  // Last reading, by node.
  for (const std::uint32_t i : by_reading()) {
    const Held& held = held_[i];
    if (held.bytes == 0) {
      continue;
    }
    const std::uint32_t node = is_listed[i] ? held.node : listed_at[held.node];
    const std::uint32_t row = rows[held.reading];
    FoldedStack& entry = kept[{node, held.lane, !is_listed[i], row}];
    entry.node = node;
    entry.lane = held.lane;
    entry.bytes += held.bytes;
    entry.blocks += held.blocks;
    entry.row = row;
    entry.reading = held.reading;
    if (!is_listed[i] && (row != 0 || std::exchange(counted[node], held.reading) != held.reading)) {
      ++entry.folded;
    }
  }
  std::vector<FoldedStack> sorted;
  sorted.reserve(kept.size());
  for (const auto& [place, stack] : kept) {
    sorted.push_back(stack);
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &FoldedStack::bytes);
  return sorted;
}

}  // namespace tidemark::html
