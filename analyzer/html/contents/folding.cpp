#include "analyzer/html/contents/folding.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace tidemark::html {
namespace {

constexpr std::size_t index_of(trace::Lane lane) {
  return static_cast<std::size_t>(lane);
}

/// Sums up what is shown, group by group.
class FoldedEntries {
 public:
  /// @param branches that something may be folded into.
  explicit FoldedEntries(std::size_t branches) : branches_(branches) {}

  void add_listed(const HeldStacks::Held& held, std::uint32_t row) {
    add(entries_.emplace_back(FoldedStack{.node = held.node, .lane = held.lane, .row = row}), held);
  }
  /// Without a row, what reads the same is one of a branch's entry; with one, each stack.
  void add_folded(const HeldStacks::Held& held,
                  std::uint32_t row,
                  std::uint32_t branch,
                  std::uint32_t node) {
    OfBranch& known = branches_[branch];
    FoldedStack& folded = entry_at(row == 0 ? known.of_lane.at(index_of(held.lane)) : known.of_row,
                                   held.lane, row, node);
    add(folded, held);
    if (std::exchange(known.counted, held.reading) != held.reading || row != 0) {
      ++folded.folded;
    }
  }

  /// The remainder of a branch, for what has no row there.
  FoldedStack& rest(trace::Lane lane, std::uint32_t branch, std::uint32_t node) {
    return entry_at(branches_[branch].of_lane.at(index_of(lane)), lane, 0, node);
  }

  /// Most bytes first.
  [[nodiscard]] std::vector<FoldedStack> sorted() {
    std::ranges::sort(entries_, [](const FoldedStack& a, const FoldedStack& b) {
      const auto order = [](const FoldedStack& stack) {
        return std::tuple(stack.node, stack.lane, stack.folded != 0, stack.row);
      };
      return a.bytes != b.bytes ? a.bytes > b.bytes : order(a) < order(b);
    });
    return std::move(entries_);
  }

 private:
  /// Entries: one more than their place; 0: none.
  struct OfBranch {
    std::array<std::uint32_t, trace::kLaneCount> of_lane{};
    std::uint32_t of_row = 0;            // The row that came last.
    std::uint32_t counted = UINT32_MAX;  // Last reading.
  };

  FoldedStack& entry_at(std::uint32_t& entry,
                        trace::Lane lane,
                        std::uint32_t row,
                        std::uint32_t node) {
    // Stacks of one row are adjacent.
    if (entry == 0 || entries_[entry - 1].row != row) {
      entries_.push_back({.node = node, .lane = lane, .row = row});
      entry = static_cast<std::uint32_t>(entries_.size());
    }
    return entries_[entry - 1];
  }
  static void add(FoldedStack& entry, const HeldStacks::Held& held) {
    entry.bytes += held.bytes;
    entry.blocks += held.blocks;
    entry.reading = held.reading;
  }

  std::vector<OfBranch> branches_;
  std::vector<FoldedStack> entries_;
};

}  // namespace

HeldStacks::Held& HeldStacks::held_by(const LiveChange& change) {
  std::uint32_t& number = numbers_[index_of(change.lane)][trace::index(change.stack)];
  if (number == 0) {
    known_.push_back({.stack = change.stack, .lane = change.lane, .place = place_for(change)});
    number = static_cast<std::uint32_t>(known_.size());
  }
  return held_[known_[number - 1].place];
}

std::uint32_t HeldStacks::place_for(const LiveChange& change) {
  const std::uint32_t node = stacks_.planter.plant(change.stack);
  const auto reading = static_cast<std::uint32_t>(
      stacks_.readings.number_of(change.stack, static_cast<char32_t>(change.lane)));
  const auto [pair, is_new] = pairs_.of(node, reading);
  if (is_new) {
    held_.push_back({.node = node, .reading = reading, .lane = change.lane});
  }
  return pair - 1;
}

void HeldStacks::apply(const LiveChange& change) {
  if (!trace::in_footprint(change.lane)) {
    return;  // File mappings are not part of the footprint.
  }
  Held& held = held_by(change);
  held.bytes += static_cast<std::uint64_t>(change.bytes);
  held.blocks += static_cast<std::uint64_t>(change.blocks);
  bytes_ += static_cast<std::uint64_t>(change.bytes);
}

std::uint32_t HeldStacks::reading_of(const LiveChange& change) {
  return held_by(change).reading;
}

std::vector<std::uint64_t> HeldStacks::bytes_of_readings() const {
  std::vector<std::uint64_t> bytes;
  for (const Held& held : held_) {
    bytes.resize(std::max<std::size_t>(bytes.size(), held.reading + std::size_t{1}));
    bytes[held.reading] += held.bytes;
  }
  return bytes;
}

Folding::Folding(const HeldStacks& stacks, const FoldLimits& least) : stacks_(stacks) {
  list_live();
  list_branches(least.branch_bytes);
  list_groups(least.row_bytes);
}

/// Those of one reading one behind the other.
void Folding::list_live() {
  std::vector<std::uint32_t> begins;
  for (const HeldStacks::Held& held : stacks_.held()) {
    begins.resize(std::max<std::size_t>(begins.size(), held.reading + std::size_t{2}));
    begins[held.reading + std::size_t{1}] += held.bytes != 0 ? 1 : 0;
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  live_.resize(begins.empty() ? 0 : begins.back());
  for (std::uint32_t place = 0; place < stacks_.held().size(); ++place) {
    const HeldStacks::Held& held = stacks_.held()[place];
    if (held.bytes != 0) {
      live_[begins[held.reading]++].place = place;
    }
  }
}

void Folding::list_branches(std::uint64_t least_bytes) {
  const auto& nodes = stacks_.forest().nodes();
  std::vector<std::uint64_t> bytes(nodes.size());
  for (const Live& live : live_) {
    const HeldStacks::Held& held = stacks_.held()[live.place];
    bytes[held.node] += held.bytes;
  }
  for (std::size_t node = nodes.size(); node-- > 1;) {
    bytes[nodes[node].parent] += bytes[node];
  }
  std::vector<std::uint32_t> branch_of(nodes.size());
  branches_.push_back({.bytes = bytes[0]});
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    const std::uint32_t parent = branch_of[nodes[node].parent];
    branch_of[node] = parent;
    if (bytes[node] != 0 && bytes[node] >= least_bytes) {
      branch_of[node] = static_cast<std::uint32_t>(branches_.size());
      branches_.push_back({.node = node, .parent = parent, .bytes = bytes[node]});
    }
  }
  for (Live& live : live_) {
    const std::uint32_t node = stacks_.held()[live.place].node;
    live.branch = branch_of[node];
    live.is_own = branches_[live.branch].node == node;
  }
}

/// And drops those from `live_` that are part of a rest.
void Folding::list_groups(std::uint64_t least_row_bytes) {
  std::vector<Rest> rests(branches_.size() * trace::kLaneCount);
  const auto& held = stacks_.held();
  std::uint32_t kept = 0;
  for (std::uint32_t begin = 0, end = 0; begin < live_.size(); begin = end) {
    Group group{.reading = held[live_[begin].place].reading, .begin = kept, .largest = kept};
    std::uint64_t blocks = 0;
    bool is_rest = true;
    for (; end < live_.size() && held[live_[end].place].reading == group.reading; ++end) {
      const Live live = live_[end];
      is_rest = is_rest && !live.is_own && live.branch == live_[begin].branch;
      group.bytes += held[live.place].bytes;
      blocks += held[live.place].blocks;
    }
    stack_count_ += group.bytes != 0 ? 1 : 0;
    if (is_rest && group.bytes < least_row_bytes) {
      const HeldStacks::Held& first = held[live_[begin].place];
      Rest& rest = rests[live_[begin].branch * trace::kLaneCount + index_of(first.lane)];
      rest.branch = live_[begin].branch;
      rest.lane = first.lane;
      rest.bytes += group.bytes;
      rest.blocks += blocks;
      ++rest.groups;
      continue;
    }
    for (std::uint32_t i = begin; i < end; ++i) {
      live_[kept] = live_[i];
      group.largest = held[live_[group.largest].place].bytes < held[live_[kept].place].bytes
                          ? kept
                          : group.largest;
      ++kept;
    }
    group.end = kept;
    groups_.push_back(group);
  }
  live_.resize(kept);
  std::ranges::stable_sort(groups_, std::ranges::greater{}, &Group::bytes);
  std::ranges::copy_if(rests, std::back_inserter(rests_), [](const Rest& r) { return r.groups; });
}

Folding::Listed Folding::listed_from(std::uint64_t least_bytes) const {
  Listed listed{.of_branch = std::vector<std::uint32_t>(branches_.size()), .branches = {0}};
  for (std::uint32_t branch = 1; branch < branches_.size(); ++branch) {
    if (branches_[branch].bytes < least_bytes) {
      listed.of_branch[branch] = listed.of_branch[branches_[branch].parent];
    } else {
      listed.of_branch[branch] = static_cast<std::uint32_t>(listed.branches.size());
      listed.branches.push_back(branch);
    }
  }
  return listed;
}

/// Whatever its row holds.
bool Folding::is_listed(const Listed& listed, const Live& live) const {
  return live.is_own && listed.branches[listed.of_branch[live.branch]] == live.branch;
}

bool Folding::has_row(const Listed& listed, const Group& group, const FoldLimits& limits) const {
  const auto lives = std::span(live_).subspan(group.begin, group.end - group.begin);
  return (group.bytes != 0 && group.bytes >= limits.row_bytes) ||
         std::ranges::any_of(lives, [&](const Live& live) { return is_listed(listed, live); });
}

std::unordered_map<std::uint64_t, std::uint32_t> Folding::rows_by_stack(
    const FoldLimits& limits) const {
  const Listed listed = listed_from(limits.branch_bytes);
  std::unordered_map<std::uint32_t, std::uint32_t> rows;  // By reading.
  for (const Group& group : groups_) {
    if (has_row(listed, group, limits)) {
      rows.emplace(group.reading, static_cast<std::uint32_t>(rows.size() + 1));
    }
  }
  std::unordered_map<std::uint64_t, std::uint32_t> by_stack;
  stacks_.visit_places([&](std::uint32_t stack, trace::Lane lane, std::uint32_t place) {
    if (const auto row = rows.find(stacks_.held()[place].reading); row != rows.end()) {
      by_stack.emplace(analyzer::key_of(stack, lane), row->second);
    }
  });
  return by_stack;
}

std::vector<FoldedStack> Folding::folded(const FoldLimits& limits) const {
  const Listed listed = listed_from(limits.branch_bytes);
  const auto node_of = [&](std::uint32_t branch) {
    return branches_[listed.branches[branch]].node;
  };
  FoldedEntries entries(listed.branches.size());
  std::uint32_t rows = 0;
  for (const Group& group : groups_) {
    const std::uint32_t row = has_row(listed, group, limits) ? ++rows : 0;
    const bool has_largest = group.bytes != 0 && group.bytes >= limits.row_bytes;
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
      const HeldStacks::Held& held = stacks_.held()[live_[i].place];
      if (is_listed(listed, live_[i]) || (has_largest && i == group.largest)) {
        entries.add_listed(held, row);
      } else {
        const std::uint32_t branch = listed.of_branch[live_[i].branch];
        entries.add_folded(held, row, branch, node_of(branch));
      }
    }
  }
  for (const Rest& rest : rests_) {
    const std::uint32_t branch = listed.of_branch[rest.branch];
    FoldedStack& entry = entries.rest(rest.lane, branch, node_of(branch));
    entry.bytes += rest.bytes;
    entry.blocks += rest.blocks;
    entry.folded += rest.groups;
  }
  return entries.sorted();
}

}  // namespace tidemark::html
