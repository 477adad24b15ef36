#include "analyzer/diff/diff_stacks.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/stacks/alike/stack_match.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
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

/// Turns the recorded stacks of one trace into comparable ones; each frame is named once, and each
/// node of the trace's tree of stacks is looked up once.
class Comparer {
 public:
  /// `side` stands for the build of modules without a build id.
  Comparer(const trace::Definitions& definitions,
           FrameTable& table,
           ComparableTree& tree,
           std::string side)
      : definitions_(definitions),
        table_(table),
        tree_(tree),
        side_(std::move(side)),
        paths_(std::max<std::size_t>(definitions.stacks.size(), 1)) {}

  StackList list(const LiveSet& live) {
    for (const LiveStack& stack : live.stacks) {
      // File mappings are not part of the footprint.
      if (trace::in_footprint(stack.lane) && stack.bytes != 0) {
        add(stack);
      }
    }
    return std::move(list_);
  }

 private:
  void add(const LiveStack& stack) {
    const std::uint32_t node = path_of(stack.stack).node;
    const auto [entry, is_new] = known_.try_emplace(key_of(node, stack.lane), known_.size());
    if (is_new) {
      list_.stacks.push_back({.lane = stack.lane, .bytes = 0, .node = node});
      list_.blocks.push_back(0);
      list_.ids.push_back(stack.stack);
    }
    list_.stacks[entry->second].bytes += stack.bytes;
    list_.blocks[entry->second] += stack.blocks;
  }

  ComparableTree::Path path_of(trace::StackId stack) {
    std::size_t node = trace::index(stack);
    node = node < definitions_.stacks.size() ? node : 0;
    pending_.clear();
    for (; node != 0 && !paths_[node].is_known;
         node = trace::index(definitions_.stacks[node].parent)) {
      pending_.push_back(node);
    }
    ComparableTree::Path path = paths_[node].path;
    for (; !pending_.empty(); pending_.pop_back()) {
      const auto& functions = comparable(definitions_.stacks[pending_.back()].frame);
      for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
        path = tree_.called_by(path, *function);
      }
      paths_[pending_.back()] = {.path = path, .is_known = true};
    }
    return path;
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

  struct KnownPath {
    ComparableTree::Path path;
    bool is_known = false;
  };

  const trace::Definitions& definitions_;
  FrameTable& table_;
  ComparableTree& tree_;
  std::string side_;
  std::vector<KnownPath> paths_;      // By StackId; of the root the empty one.
  std::vector<std::size_t> pending_;  // Nodes, innermost first.
  std::unordered_map<std::uint32_t, std::vector<ComparableFrame>> frames_;  // By FrameId.
  std::unordered_map<std::uint64_t, std::size_t> known_;  // Node and lane to index into the list.
  StackList list_;
};

/// A stack of the diff before it has names, as indices into the two lists.
struct Row {
  static constexpr std::size_t kNone = SIZE_MAX;

  std::size_t before = kNone;
  std::size_t after = kNone;
  bool is_similar = false;
  std::uint64_t distance = 0;  // Between what it held and what it holds.
};

/// The stacks of one trace, and what names them.
struct Side {
  const trace::Definitions& definitions;
  StackList list;
};

std::uint64_t bytes_of(const Side& side, std::size_t i) {
  return i == Row::kNone ? 0 : side.list.stacks[i].bytes;
}

/// Each stack of either side is in exactly one row.
std::vector<Row> rows_of(const ComparableTree& tree, const Side& before, const Side& after) {
  std::vector<Row> rows;
  std::vector<bool> is_paired_before(before.list.stacks.size());
  std::vector<bool> is_paired_after(after.list.stacks.size());
  for (const StackPair& pair : match_stacks(tree, before.list.stacks, after.list.stacks)) {
    rows.push_back({.before = pair.before, .after = pair.after, .is_similar = pair.is_similar});
    is_paired_before[pair.before] = true;
    is_paired_after[pair.after] = true;
  }
  for (std::size_t i = 0; i < is_paired_before.size(); ++i) {
    if (!is_paired_before[i]) {
      rows.push_back({.before = i});
    }
  }
  for (std::size_t i = 0; i < is_paired_after.size(); ++i) {
    if (!is_paired_after[i]) {
      rows.push_back({.after = i});
    }
  }
  for (Row& row : rows) {
    const std::uint64_t change = bytes_of(after, row.after) - bytes_of(before, row.before);
    row.distance = static_cast<std::int64_t>(change) < 0 ? 0 - change : change;
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, &Row::distance);
  return rows;
}

/// Without names.
DiffStack stack_of(const Row& row, const Side& before, const Side& after) {
  DiffStack stack;
  if (row.before != Row::kNone) {
    stack.lane = before.list.stacks[row.before].lane;
    stack.before_bytes = before.list.stacks[row.before].bytes;
    stack.before_blocks = before.list.blocks[row.before];
  }
  if (row.after != Row::kNone) {
    stack.lane = after.list.stacks[row.after].lane;
    stack.after_bytes = after.list.stacks[row.after].bytes;
    stack.after_blocks = after.list.blocks[row.after];
  }
  if (row.before != Row::kNone && row.after != Row::kNone) {
    stack.match = row.is_similar ? StackMatch::kSimilar : StackMatch::kSame;
  }
  return stack;
}

std::vector<NamedFrame> names_of(const Row& row, const Side& before, const Side& after) {
  return row.after != Row::kNone ? named_stack(after.definitions, after.list.ids[row.after])
                                 : named_stack(before.definitions, before.list.ids[row.before]);
}

/// The asking function and line of the stacks of one trace, in words.
class PlaceTexts {
 public:
  /// `side` stays borrowed.
  explicit PlaceTexts(const Side& side) : side_(side), places_(side.definitions) {}

  /// The place of the stack at an index of its list; empty for Row::kNone.
  std::string_view of(std::size_t i) {
    if (i == Row::kNone) {
      return {};
    }
    const std::string_view text = places_.text(places_.of(side_.list.ids[i]));
    return text.substr(0, text.find('\t'));
  }

 private:
  const Side& side_;
  Places places_;
};

/// What the place of a row held in all rows. Where lines have moved, a pair knows the place by the
/// name that it has on either side.
PlaceChange place_change_of(const Row& subject,
                            const std::vector<Row>& rows,
                            const Side& before,
                            const Side& after) {
  PlaceTexts texts_before(before);
  PlaceTexts texts_after(after);
  const std::string was(subject.before == Row::kNone ? texts_after.of(subject.after)
                                                     : texts_before.of(subject.before));
  const std::string is(subject.after == Row::kNone ? was : texts_after.of(subject.after));
  PlaceChange change{.place = is};
  for (const Row& row : rows) {
    const bool is_of_place = row.before == Row::kNone ? texts_after.of(row.after) == is
                                                      : texts_before.of(row.before) == was;
    if (is_of_place) {
      change.before_bytes += bytes_of(before, row.before);
      change.after_bytes += bytes_of(after, row.after);
    }
  }
  return change;
}

void add(DiffRemainder& remainder, const DiffStack& stack) {
  ++remainder.stacks;
  remainder.before_bytes += stack.before_bytes;
  remainder.after_bytes += stack.after_bytes;
}

}  // namespace

ChangedStacks list_changed_stacks(const LiveSet& live_before,
                                  const trace::Definitions& definitions_before,
                                  const LiveSet& live_after,
                                  const trace::Definitions& definitions_after,
                                  std::size_t top) {
  FrameTable table(definitions_before, definitions_after);
  ComparableTree tree;
  const Side before{definitions_before,
                    Comparer(definitions_before, table, tree, "before").list(live_before)};
  const Side after{definitions_after,
                   Comparer(definitions_after, table, tree, "after").list(live_after)};
  ChangedStacks changed;
  const std::vector<Row> rows = rows_of(tree, before, after);
  for (const Row& row : rows) {
    DiffStack stack = stack_of(row, before, after);
    (stack.change() < 0 ? changed.shrunk_bytes : changed.grown_bytes) += row.distance;
    auto& most = stack.change() < 0 ? changed.most_shrunk : changed.most_grown;
    if (!most && stack.change() != 0) {
      most = place_change_of(row, rows, before, after);
    }
    if (stack.change() == 0) {
      add(changed.unchanged, stack);
    } else if (top != 0 && changed.stacks.size() == top) {
      add(changed.more, stack);
    } else {
      stack.frames = names_of(row, before, after);
      changed.stacks.push_back(std::move(stack));
    }
  }
  return changed;
}

}  // namespace tidemark::analyzer
