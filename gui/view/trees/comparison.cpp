#include "gui/view/trees/comparison.hpp"

#include "gui/view/trees/call_tree.hpp"
#include "gui/view/trees/stack_pairs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace tidemark::gui {
namespace {

std::vector<ShownFrame> shown_frames(const NamedStacks& stacks,
                                     const std::vector<std::uint32_t>& frames) {
  std::vector<ShownFrame> shown;
  for (const std::uint32_t frame : frames) {
    const analyzer::NamedFrame& named = stacks.frames[frame].name;
    shown.push_back({.name = analyzer::short_name(named),
                     .full = named.function,
                     .place = place_text(named),
                     .file = named.file,
                     .alone = analyzer::lone_name(named),
                     .key = analyzer::lineless_short_name(named)});
  }
  return shown;
}

/// Calls of two loads are the same if all their functions are.
std::string key_of(const std::vector<ShownFrame>& frames) {
  std::string key;
  for (const ShownFrame& frame : frames) {
    key += frame.key + '\n';
  }
  return key;
}

/// Adds up the calls of the stacks of either side.
class CallsOfRow {
 public:
  void add(const NamedStacks& stacks,
           const WeightedStack& stack,
           std::uint64_t ComparedCall::*side) {
    for (const CalledStack& called : stack.called) {
      std::vector<ShownFrame> frames = shown_frames(stacks, called.frames);
      const auto [known, is_new] = known_.try_emplace(key_of(frames), calls_.size());
      if (is_new) {
        calls_.push_back({.frames = std::move(frames)});
      }
      calls_[known->second].*side += called.weight.bytes;
    }
  }
  std::vector<ComparedCall> take() { return std::move(calls_); }

 private:
  std::vector<ComparedCall> calls_;
  std::map<std::string, std::size_t> known_;  // By key.
};

std::uint64_t distance(const ComparisonRow& row) {
  return static_cast<std::uint64_t>(std::max(row.change(), -row.change()));
}

}  // namespace

std::vector<ComparisonRow> compare(const NamedStacks& before, const NamedStacks& after) {
  const auto& old_stacks = before.stacks;
  const auto& new_stacks = after.stacks;
  std::vector<bool> is_paired_before(old_stacks.size());
  std::vector<bool> is_paired_after(new_stacks.size());
  std::vector<ComparisonRow> rows;
  for (const analyzer::StackPair& pair : pairs_of(before, after)) {
    ComparisonRow& row = rows.emplace_back();
    row.before_bytes = old_stacks[pair.before].weight.bytes;
    row.after_bytes = new_stacks[pair.after].weight.bytes;
    row.is_similar = pair.is_similar;
    row.frames = shown_frames(after, new_stacks[pair.after].frames);
    CallsOfRow calls;
    calls.add(after, new_stacks[pair.after], &ComparedCall::after_bytes);
    calls.add(before, old_stacks[pair.before], &ComparedCall::before_bytes);
    row.called = calls.take();
    is_paired_before[pair.before] = true;
    is_paired_after[pair.after] = true;
  }
  for (std::size_t i = 0; i < old_stacks.size(); ++i) {
    if (!is_paired_before[i]) {
      ComparisonRow& row = rows.emplace_back();
      row.before_bytes = old_stacks[i].weight.bytes;
      row.frames = shown_frames(before, old_stacks[i].frames);
      CallsOfRow calls;
      calls.add(before, old_stacks[i], &ComparedCall::before_bytes);
      row.called = calls.take();
    }
  }
  for (std::size_t i = 0; i < new_stacks.size(); ++i) {
    if (!is_paired_after[i]) {
      ComparisonRow& row = rows.emplace_back();
      row.after_bytes = new_stacks[i].weight.bytes;
      row.frames = shown_frames(after, new_stacks[i].frames);
      CallsOfRow calls;
      calls.add(after, new_stacks[i], &ComparedCall::after_bytes);
      row.called = calls.take();
    }
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, distance);
  return rows;
}

}  // namespace tidemark::gui
