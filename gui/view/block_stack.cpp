#include "gui/view/block_stack.hpp"

#include "analyzer/plot/warp.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::gui {
namespace {

struct Change {
  std::uint64_t at_ns = 0;
  std::size_t shape = 0;
  bool is_begin = false;
};

class Stacker {
 public:
  Stacker(const BlockList& list, std::span<const std::uint64_t> borders)
      : list_(list), borders_(borders.begin(), borders.end()) {
    stack_.heights.resize(borders.size() - 1);
  }

  void choose(std::uint64_t smallest) {
    for (std::size_t i = 0; i < list_.blocks.size(); ++i) {
      const LongBlock& block = list_.blocks[i];
      if (block.end_ns < borders_.front() || block.begin_ns >= borders_.back()) {
        continue;
      }
      if (block.bytes < smallest) {
        ++stack_.folded;
        continue;
      }
      const std::size_t shape = stack_.shapes.size();
      stack_.shapes.push_back({i, {}});
      changes_.push_back({block.begin_ns, shape, true});
      if (block.end_ns < borders_.back()) {
        changes_.push_back({block.end_ns, shape, false});
      }
    }
    std::ranges::sort(changes_, [this](const Change& a, const Change& b) {
      return std::pair(a.at_ns, turn(a)) < std::pair(b.at_ns, turn(b));
    });
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
                                      ? plot::column_of(borders_, changes_[last].at_ns)
                                      : stack_.heights.size();
        show(column, std::max(until, column + 1));
        column = std::max(until, column + 1);
        continue;
      }
      const std::size_t highest = highest_point(next, last);
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
  /// At one instant, first goes what was there, then comes what is new, then goes what came and
  /// went within the same tick of the clock.
  [[nodiscard]] int turn(const Change& change) const {
    const LongBlock& block = list_.blocks[stack_.shapes[change.shape].block];
    return change.is_begin ? 1 : block.begin_ns == block.end_ns ? 2 : 0;
  }

  [[nodiscard]] std::uint64_t bytes_of(std::size_t shape) const {
    return list_.blocks[stack_.shapes[shape].block].bytes;
  }

  void apply(const Change& change) {
    if (change.is_begin) {
      // Mostly the youngest of all.
      alive_.insert(std::ranges::upper_bound(alive_, change.shape), change.shape);
    } else {
      const auto found = std::ranges::lower_bound(alive_, change.shape);
      if (found != alive_.end() && *found == change.shape) {
        alive_.erase(found);
      }
    }
  }

  /// After which of the changes most bytes were alive; `from`: before all of them.
  [[nodiscard]] std::size_t highest_point(std::size_t from, std::size_t to) const {
    std::int64_t sum = 0;
    std::int64_t most = 0;
    std::size_t point = from;
    for (std::size_t i = from; i < to; ++i) {
      const auto bytes = static_cast<std::int64_t>(bytes_of(changes_[i].shape));
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
      if (!runs.empty() && runs.back().end == begin && runs.back().bottom == bottom) {
        runs.back().end = end;
      } else {
        runs.push_back({begin, end, bottom});
      }
      bottom += bytes_of(shape);
    }
    std::fill(stack_.heights.begin() + static_cast<std::ptrdiff_t>(begin),
              stack_.heights.begin() + static_cast<std::ptrdiff_t>(end), bottom);
  }

  const BlockList& list_;
  std::vector<std::uint64_t> borders_;
  std::vector<Change> changes_;
  std::vector<std::size_t> alive_;  // Shapes, oldest first.
  BlockStack stack_;
};

}  // namespace

BlockStack stack_blocks(const BlockList& list,
                        std::span<const std::uint64_t> borders,
                        std::uint64_t smallest) {
  if (borders.size() < 2) {
    return {};
  }
  Stacker stacker(list, borders);
  stacker.choose(smallest);
  return stacker.stack();
}

std::optional<std::size_t> shape_at(const BlockStack& stack,
                                    const BlockList& list,
                                    std::size_t column,
                                    std::uint64_t bytes) {
  for (std::size_t i = 0; i < stack.shapes.size(); ++i) {
    const BlockShape& shape = stack.shapes[i];
    const std::uint64_t height = list.blocks[shape.block].bytes;
    const auto run = std::ranges::find_if(shape.runs, [column](const BlockRun& one) {
      return column >= one.begin && column < one.end;
    });
    if (run != shape.runs.end() && bytes >= run->bottom && bytes < run->bottom + height) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace tidemark::gui
