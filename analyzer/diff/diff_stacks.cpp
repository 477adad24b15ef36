#include "analyzer/diff/diff_stacks.hpp"

#include "analyzer/stacks/stack_match.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// The stacks of one live set, those that read the same as one. Parallel lists.
struct StackList {
  std::vector<ComparableStack> stacks;
  std::vector<std::uint64_t> blocks;
  std::vector<trace::StackId> ids;  // One of those that read the same.
};

/// Turns the recorded stacks of one trace into comparable ones; each frame is named once.
class Comparer {
 public:
  /// `side` stands for the build of modules without a build id.
  Comparer(const trace::Definitions& definitions, FrameTable& table, std::string side)
      : definitions_(definitions), table_(table), side_(std::move(side)) {}

  StackList list(const LiveSet& live) {
    for (const LiveStack& stack : live.stacks) {
      // File mappings are no part of the footprint.
      if (trace::in_footprint(stack.lane) && stack.bytes != 0) {
        add(stack);
      }
    }
    return std::move(list_);
  }

 private:
  void add(const LiveStack& stack) {
    auto frames = comparable(stack.stack);
    std::u32string sites(1, static_cast<char32_t>(stack.lane));
    for (const ComparableFrame& frame : frames) {
      sites += static_cast<char32_t>(frame.site);
    }
    const auto [entry, is_new] = known_.try_emplace(std::move(sites), known_.size());
    if (is_new) {
      list_.stacks.push_back({.lane = stack.lane, .bytes = 0, .frames = std::move(frames)});
      list_.blocks.push_back(0);
      list_.ids.push_back(stack.stack);
    }
    list_.stacks[entry->second].bytes += stack.bytes;
    list_.blocks[entry->second] += stack.blocks;
  }

  std::vector<ComparableFrame> comparable(trace::StackId stack) {
    std::vector<ComparableFrame> frames;
    for (const trace::FrameId frame : recorded_frames(definitions_, stack)) {
      const auto& inlined = comparable(frame);
      frames.insert(frames.end(), inlined.begin(), inlined.end());
    }
    drop_startup(frames);
    return frames;
  }

  const std::vector<ComparableFrame>& comparable(trace::FrameId id) {
    const auto [entry, is_new] = frames_.try_emplace(trace::index(id));
    if (is_new) {
      for (const NamedFrame& frame : named_frame(definitions_, id)) {
        entry->second.push_back(table_.add(frame, build_of(id)));
      }
    }
    return entry->second;
  }

  /// For a frame that the trace has.
  [[nodiscard]] const std::string& build_of(trace::FrameId frame) const {
    const std::size_t module = trace::index(definitions_.frames[trace::index(frame)].module);
    const bool has_build =
        module < definitions_.modules.size() && !definitions_.modules[module].build_id.empty();
    return has_build ? definitions_.modules[module].build_id : side_;
  }

  const trace::Definitions& definitions_;
  FrameTable& table_;
  std::string side_;
  std::unordered_map<std::uint32_t, std::vector<ComparableFrame>> frames_;  // By FrameId.
  std::unordered_map<std::u32string, std::size_t> known_;  // Sites to index into the list.
  StackList list_;
};

/// A stack of the diff before it has names.
struct Row {
  DiffStack stack;
  const trace::Definitions* definitions = nullptr;
  trace::StackId id = trace::kNoStack;
};

void fill_before(Row& row, const StackList& list, std::size_t i) {
  row.stack.lane = list.stacks[i].lane;
  row.stack.before_bytes = list.stacks[i].bytes;
  row.stack.before_blocks = list.blocks[i];
  row.id = list.ids[i];
}

void fill_after(Row& row, const StackList& list, std::size_t i) {
  row.stack.lane = list.stacks[i].lane;
  row.stack.after_bytes = list.stacks[i].bytes;
  row.stack.after_blocks = list.blocks[i];
  row.id = list.ids[i];
}

/// Each stack of either list is in exactly one row.
std::vector<Row> rows_of(const StackList& before,
                         const trace::Definitions& before_names,
                         const StackList& after,
                         const trace::Definitions& after_names) {
  std::vector<Row> rows;
  std::vector<bool> is_paired_before(before.stacks.size());
  std::vector<bool> is_paired_after(after.stacks.size());
  for (const StackPair& pair : match_stacks(before.stacks, after.stacks)) {
    Row& row = rows.emplace_back();
    fill_before(row, before, pair.before);
    fill_after(row, after, pair.after);
    row.definitions = &after_names;
    row.stack.match = pair.is_similar ? StackMatch::kSimilar : StackMatch::kSame;
    is_paired_before[pair.before] = true;
    is_paired_after[pair.after] = true;
  }
  for (std::size_t i = 0; i < before.stacks.size(); ++i) {
    if (!is_paired_before[i]) {
      fill_before(rows.emplace_back(), before, i);
      rows.back().definitions = &before_names;
    }
  }
  for (std::size_t i = 0; i < after.stacks.size(); ++i) {
    if (!is_paired_after[i]) {
      fill_after(rows.emplace_back(), after, i);
      rows.back().definitions = &after_names;
    }
  }
  return rows;
}

std::uint64_t distance(const Row& row) {
  const std::int64_t change = row.stack.change();
  return static_cast<std::uint64_t>(change < 0 ? -change : change);
}

void add(DiffRemainder& remainder, const DiffStack& stack) {
  ++remainder.stacks;
  remainder.before_bytes += stack.before_bytes;
  remainder.after_bytes += stack.after_bytes;
}

}  // namespace

ChangedStacks list_changed_stacks(const LiveSet& live_before,
                                  const trace::Definitions& before,
                                  const LiveSet& live_after,
                                  const trace::Definitions& after,
                                  std::size_t top) {
  ChangedStacks changed;
  FrameTable table(before, after);
  const StackList list_before = Comparer(before, table, "before").list(live_before);
  const StackList list_after = Comparer(after, table, "after").list(live_after);
  auto rows = rows_of(list_before, before, list_after, after);
  std::ranges::stable_sort(rows, std::ranges::greater{}, distance);
  for (Row& row : rows) {
    if (row.stack.change() == 0) {
      add(changed.unchanged, row.stack);
    } else if (top != 0 && changed.stacks.size() == top) {
      add(changed.more, row.stack);
    } else {
      row.stack.frames = named_stack(*row.definitions, row.id);
      changed.stacks.push_back(std::move(row.stack));
    }
  }
  return changed;
}

}  // namespace tidemark::analyzer
