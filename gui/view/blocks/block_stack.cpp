#include "gui/view/blocks/block_stack.hpp"

#include "analyzer/picture/warp.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tidemark::gui {
namespace {

struct Change {
  std::uint64_t at_ns = 0;
  std::size_t block = 0;
  std::size_t shape = 0;
  bool is_begin = false;
};

/// What is alive of a shape after the changes applied so far.
struct Alive {
  std::uint64_t bytes = 0;
  std::size_t blocks = 0;
};

bool is_bundled(const LongBlock& block,
                std::uint64_t smallest,
                std::optional<std::uint64_t> alone) {
  return block.bytes < smallest && block.allocation != alone;
}

/// The key of a bundle: stack and lane.
std::uint64_t key_of(const LongBlock& block) {
  return std::uint64_t{trace::index(block.stack)} * trace::kLaneCount +
         static_cast<std::uint64_t>(block.lane);
}

/// The run of a shape that covers a column; null: none does.
const BlockRun* run_at(const BlockShape& shape, std::size_t column) {
  const auto run = std::ranges::upper_bound(shape.runs, column, {}, &BlockRun::end);
  return run != shape.runs.end() && column >= run->begin ? &*run : nullptr;
}

/// The columns [first, second) in whose instants a block is alive.
std::pair<std::size_t, std::size_t> columns_of(const BlockStack& stack, const LongBlock& block) {
  const auto& instants = stack.instants;
  const auto first = std::ranges::lower_bound(instants, block.begin_ns);
  const auto last = block.begin_ns == block.end_ns
                        ? std::ranges::upper_bound(instants, block.begin_ns)
                        : std::ranges::lower_bound(first, instants.end(), block.end_ns);
  return {static_cast<std::size_t>(first - instants.begin()),
          static_cast<std::size_t>(last - instants.begin())};
}

/// By column: the bytes of the bundle's older blocks that are alive, below `block`.
std::vector<std::uint64_t> bytes_below(const BlockList& list,
                                       const BlockStack& stack,
                                       const BlockShape& bundle,
                                       std::size_t block) {
  const std::uint64_t key = key_of(list.blocks[block]);
  std::vector<std::uint64_t> bytes(stack.instants.size() + 1);  // Differences, modulo 2^64.
  for (std::size_t i = bundle.block; i < block; ++i) {
    const LongBlock& older = list.blocks[i];
    if (key_of(older) == key && is_bundled(older, stack.smallest, stack.alone)) {
      const auto [begin, end] = columns_of(stack, older);
      bytes[begin] += older.bytes;
      bytes[end] -= older.bytes;
    }
  }
  std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
  return bytes;
}

class Stacker {
 public:
  Stacker(const BlockList& list,
          std::span<const std::uint64_t> borders,
          std::uint64_t smallest,
          std::optional<std::uint64_t> alone)
      : list_(list), borders_(borders.begin(), borders.end()), smallest_(smallest), alone_(alone) {
    stack_.heights.resize(borders.size() - 1);
    stack_.instants.assign(borders.begin(), borders.end() - 1);
    stack_.smallest = smallest;
    stack_.alone = alone;
  }

  void choose() {
    // A bundle never exceeds the sum of its blocks: most bundles are ruled out by that.
    for (const LongBlock& block : list_.blocks) {
      if (is_too_low(block) && is_in_view(block)) {
        sums_[key_of(block)] += block.bytes;
      }
    }
    for (std::size_t i = 0; i < list_.blocks.size(); ++i) {
      const LongBlock& block = list_.blocks[i];
      if (!is_in_view(block)) {
        continue;
      }
      if (is_too_low(block) && sums_[key_of(block)] < smallest_) {
        ++stack_.folded;
        continue;
      }
      const std::size_t shape = is_too_low(block) ? bundle_of(i) : shape_of(i);
      changes_.push_back({block.begin_ns, i, shape, true});
      if (block.end_ns < borders_.back()) {
        changes_.push_back({block.end_ns, i, shape, false});
      }
    }
    std::ranges::sort(changes_, [this](const Change& a, const Change& b) {
      return std::tuple(a.at_ns, turn(a), a.block) < std::tuple(b.at_ns, turn(b), b.block);
    });
    fold();
  }

  BlockStack stack() {
    std::size_t next = 0;
    while (next < changes_.size() && changes_[next].at_ns < borders_.front()) {
      apply(changes_[next++]);
    }
    std::size_t column = 0;
    while (column < stack_.heights.size()) {
      std::size_t last = next;
      while (last < changes_.size() && changes_[last].at_ns < borders_[column + 1]) {
        ++last;
      }
      if (last == next) {
        // Nothing changes until the next change's column.
        const std::size_t until = last < changes_.size()
                                      ? picture::column_of(borders_, changes_[last].at_ns)
                                      : stack_.heights.size();
        show(column, std::max(until, column + 1));
        column = std::max(until, column + 1);
        continue;
      }
      const std::size_t highest = highest_point(next, last);
      // Right before the column's first change, or at the last change up to the highest point.
      stack_.instants[column] = highest == next
                                    ? std::max<std::uint64_t>(changes_[next].at_ns, 1) - 1
                                    : changes_[highest - 1].at_ns;
      while (next < highest) {
        apply(changes_[next++]);
      }
      show(column, column + 1);
      while (next < last) {
        apply(changes_[next++]);
      }
      ++column;
    }
    std::erase_if(stack_.shapes, [](const BlockShape& shape) { return shape.runs.empty(); });
    return std::move(stack_);
  }

 private:
  [[nodiscard]] bool is_in_view(const LongBlock& block) const {
    return block.end_ns >= borders_.front() && block.begin_ns < borders_.back();
  }

  /// Too low for a shape of its own.
  [[nodiscard]] bool is_too_low(const LongBlock& block) const {
    return is_bundled(block, smallest_, alone_);
  }

  [[nodiscard]] std::size_t shape_of(std::size_t block) {
    stack_.shapes.push_back({.block = block, .runs = {}});
    return stack_.shapes.size() - 1;
  }

  [[nodiscard]] std::size_t bundle_of(std::size_t block) {
    const auto [bundle, is_new] =
        bundles_.try_emplace(key_of(list_.blocks[block]), stack_.shapes.size());
    if (is_new) {
      return shape_of(block);
    }
    ++stack_.shapes[bundle->second].count;
    return bundle->second;
  }

  /// Removes the bundles that stay too low, with their changes.
  void fold() {
    auto& shapes = stack_.shapes;
    const auto is_kept = [&](const BlockShape& shape) {
      return shape.most >= smallest_ || !is_too_low(list_.blocks[shape.block]);
    };
    std::vector<Alive> alive(shapes.size());
    for (const Change& change : changes_) {
      count(change, alive[change.shape]);
      shapes[change.shape].most = std::max(shapes[change.shape].most, alive[change.shape].bytes);
    }
    std::vector<std::size_t> new_index(shapes.size());
    std::vector<BlockShape> kept;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      new_index[i] = kept.size();
      if (is_kept(shapes[i])) {
        kept.push_back(shapes[i]);
      } else {
        stack_.folded += shapes[i].count;
      }
    }
    std::erase_if(changes_, [&](const Change& change) { return !is_kept(shapes[change.shape]); });
    for (Change& change : changes_) {
      change.shape = new_index[change.shape];
    }
    shapes = std::move(kept);
    alive_in_.resize(shapes.size());
  }

  /// The order of changes at one instant: ends of older blocks, begins, then ends of blocks that
  /// came and went within this clock tick.
  [[nodiscard]] int turn(const Change& change) const {
    const LongBlock& block = list_.blocks[change.block];
    return change.is_begin ? 1 : block.begin_ns == block.end_ns ? 2 : 0;
  }

  void count(const Change& change, Alive& alive) const {
    const std::uint64_t bytes = list_.blocks[change.block].bytes;
    alive.bytes = change.is_begin ? alive.bytes + bytes : alive.bytes - bytes;
    alive.blocks = change.is_begin ? alive.blocks + 1 : alive.blocks - 1;
  }

  void apply(const Change& change) {
    Alive& alive = alive_in_[change.shape];
    const bool was_alive = alive.blocks > 0;
    count(change, alive);
    if (!was_alive && alive.blocks > 0) {
      // Mostly at the end.
      alive_.insert(std::ranges::upper_bound(alive_, change.shape), change.shape);
    } else if (was_alive && alive.blocks == 0) {
      alive_.erase(std::ranges::lower_bound(alive_, change.shape));
    }
  }

  /// The number of changes after which most bytes were alive; `from`: before any of them.
  [[nodiscard]] std::size_t highest_point(std::size_t from, std::size_t to) const {
    std::int64_t sum = 0;
    std::int64_t most = 0;
    std::size_t point = from;
    for (std::size_t i = from; i < to; ++i) {
      const auto bytes = static_cast<std::int64_t>(list_.blocks[changes_[i].block].bytes);
      sum += changes_[i].is_begin ? bytes : -bytes;
      if (sum > most) {
        most = sum;
        point = i + 1;
      }
    }
    return point;
  }

  void show(std::size_t begin, std::size_t end) {
    std::uint64_t bottom = 0;
    for (const std::size_t shape : alive_) {
      auto& runs = stack_.shapes[shape].runs;
      const std::uint64_t bytes = alive_in_[shape].bytes;
      if (!runs.empty() && runs.back().end == begin && runs.back().bottom == bottom &&
          runs.back().bytes == bytes) {
        runs.back().end = end;
      } else {
        runs.push_back({begin, end, bottom, bytes});
      }
      bottom += bytes;
    }
    std::fill(stack_.heights.begin() + static_cast<std::ptrdiff_t>(begin),
              stack_.heights.begin() + static_cast<std::ptrdiff_t>(end), bottom);
  }

  const BlockList& list_;
  std::vector<std::uint64_t> borders_;
  std::uint64_t smallest_;
  std::optional<std::uint64_t> alone_;
  std::vector<Change> changes_;
  std::unordered_map<std::uint64_t, std::uint64_t> sums_;   // By key: bytes of small blocks.
  std::unordered_map<std::uint64_t, std::size_t> bundles_;  // By key: the shape.
  std::vector<Alive> alive_in_;                             // By shape.
  std::vector<std::size_t> alive_;                          // Shapes, oldest first.
  BlockStack stack_;
};

}  // namespace

BlockStack stack_blocks(const BlockList& list,
                        std::span<const std::uint64_t> borders,
                        std::uint64_t smallest,
                        std::optional<std::uint64_t> alone) {
  if (borders.size() < 2) {
    return {};
  }
  Stacker stacker(list, borders, smallest, alone);
  stacker.choose();
  return stacker.stack();
}

std::optional<std::size_t> shape_at(const BlockStack& stack,
                                    std::size_t column,
                                    std::uint64_t bytes) {
  for (std::size_t i = 0; i < stack.shapes.size(); ++i) {
    const BlockRun* const run = run_at(stack.shapes[i], column);
    if (run != nullptr && bytes >= run->bottom && bytes < run->top()) {
      return i;
    }
  }
  return std::nullopt;
}

std::size_t block_at(const BlockList& list,
                     const BlockStack& stack,
                     std::size_t shape,
                     std::size_t column,
                     std::uint64_t bytes) {
  const BlockShape& bundle = stack.shapes[shape];
  const BlockRun* const run = run_at(bundle, column);
  if (bundle.count == 1 || run == nullptr) {
    return bundle.block;
  }
  const std::uint64_t key = key_of(list.blocks[bundle.block]);
  std::optional<std::size_t> largest;
  std::uint64_t top = run->bottom;
  for (std::size_t i = bundle.block; i < list.blocks.size(); ++i) {
    const LongBlock& block = list.blocks[i];
    if (key_of(block) != key || !is_bundled(block, stack.smallest, stack.alone) ||
        !block.is_alive_at(stack.instants[column])) {
      continue;
    }
    top += block.bytes;
    if (bytes < top) {
      return i;
    }
    if (!largest || block.bytes > list.blocks[*largest].bytes) {
      largest = i;
    }
  }
  return largest.value_or(bundle.block);
}

std::optional<BlockSpot> spot_of(const BlockList& list,
                                 const BlockStack& stack,
                                 std::size_t block) {
  const LongBlock& wanted = list.blocks[block];
  const bool may_be_bundled = is_bundled(wanted, stack.smallest, stack.alone);
  const auto shape = std::ranges::find_if(stack.shapes, [&](const BlockShape& one) {
    const LongBlock& first = list.blocks[one.block];
    return one.block == block || (may_be_bundled && key_of(first) == key_of(wanted) &&
                                  is_bundled(first, stack.smallest, stack.alone));
  });
  if (shape == stack.shapes.end()) {
    return std::nullopt;
  }
  BlockSpot spot{static_cast<std::size_t>(shape - stack.shapes.begin()), {}};
  if (shape->count == 1) {
    spot.runs = shape->runs;
    return spot;
  }
  const auto below = bytes_below(list, stack, *shape, block);
  const auto [begin, end] = columns_of(stack, wanted);
  for (std::size_t column = begin; column < end; ++column) {
    const BlockRun* const run = run_at(*shape, column);
    if (run == nullptr) {
      continue;
    }
    const std::uint64_t bottom = run->bottom + below[column];
    if (!spot.runs.empty() && spot.runs.back().end == column && spot.runs.back().bottom == bottom) {
      ++spot.runs.back().end;
    } else {
      spot.runs.push_back({column, column + 1, bottom, wanted.bytes});
    }
  }
  return spot;
}

}  // namespace tidemark::gui
