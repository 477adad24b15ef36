#include "analyzer/stacks/alike/stack_match.hpp"

#include "analyzer/stacks/alike/stack_alignment.hpp"
#include "analyzer/stacks/alike/stack_similarity.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

namespace tidemark::analyzer {
namespace {

/// A stack's key: the frames that it depends on, as a node of a tree, so that equal nodes are equal
/// keys. Each node is looked at once, however many stacks have it.
class Keys {
 public:
  /// `tree` stays borrowed.
  Keys(const ComparableTree& tree, std::uint32_t ComparableFrame::*id, bool with_plumbing)
      : tree_(tree), id_(id), with_plumbing_(with_plumbing), keys_(tree.size(), kUnknown) {
    keys_[ComparableTree::kRoot] = kNoFrames;
  }

  /// None for what has no function of its own to be known by: it is plumbing all through.
  std::optional<std::uint64_t> of(const ComparableStack& stack) {
    const std::uint32_t key = of(stack.node);
    if (key == kNoFrames && !with_plumbing_) {
      return std::nullopt;
    }
    return std::uint64_t{key} << 32U | static_cast<std::uint32_t>(stack.lane);
  }

 private:
  static constexpr std::uint32_t kNoFrames = 0;
  static constexpr std::uint32_t kUnknown = UINT32_MAX;

  std::uint32_t of(std::uint32_t node) {
    pending_.clear();
    for (; keys_[node] == kUnknown; node = tree_.caller_of(node)) {
      pending_.push_back(node);
    }
    std::uint32_t key = keys_[node];
    for (; !pending_.empty(); pending_.pop_back()) {
      const ComparableFrame& frame = tree_.frame_of(pending_.back());
      if (with_plumbing_ || !frame.is_plumbing) {
        key = index_.of(key, frame.*id_).node;
      }
      keys_[pending_.back()] = key;
    }
    return key;
  }

  const ComparableTree& tree_;
  std::uint32_t ComparableFrame::*id_;
  bool with_plumbing_;
  std::vector<std::uint32_t> keys_;  // By node of the tree.
  ChildIndex index_;
  std::vector<std::uint32_t> pending_;  // Innermost first.
};

class Matching {
 public:
  Matching(const ComparableTree& tree,
           std::span<const ComparableStack> before,
           std::span<const ComparableStack> after)
      : tree_(tree),
        before_(before),
        after_(after),
        before_is_free_(before.size(), true),
        after_is_free_(after.size(), true) {}

  void pair_equal(std::uint32_t ComparableFrame::*id, bool with_plumbing) {
    Keys keys(tree_, id, with_plumbing);
    const auto of_before = keyed(keys, before_, before_is_free_);
    const auto of_after = keyed(keys, after_, after_is_free_);
    auto other = of_after.begin();
    for (auto one = of_before.begin(); one != of_before.end();) {
      const std::uint64_t key = one->key;
      const auto same = take_same(key, one, of_before.end());
      for (; other != of_after.end() && other->key < key; ++other) {
      }
      pair_aligned(same, take_same(key, other, of_after.end()));
    }
  }

  void pair_similar() {
    const auto before = free_stacks(before_is_free_);
    const auto after = free_stacks(after_is_free_);
    for (const auto& [i, j] : find_similar(tree_, before_, before, after_, after)) {
      pair(i, j, true);
    }
  }

  std::vector<StackPair> take() {
    std::ranges::sort(pairs_, {}, &StackPair::before);
    return std::move(pairs_);
  }

 private:
  struct Keyed {
    std::uint64_t key = 0;
    std::size_t stack = 0;

    auto operator<=>(const Keyed&) const = default;
  };

  /// The free stacks that have a key, in its order.
  static std::vector<Keyed> keyed(Keys& keys,
                                  std::span<const ComparableStack> stacks,
                                  const std::vector<bool>& is_free) {
    std::vector<Keyed> all;
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      if (const auto key = is_free[i] ? keys.of(stacks[i]) : std::nullopt) {
        all.push_back({*key, i});
      }
    }
    std::ranges::sort(all);
    return all;
  }

  /// Goes on behind the stacks of `key`. @return these.
  static std::vector<std::size_t> take_same(std::uint64_t key,
                                            std::vector<Keyed>::const_iterator& at,
                                            std::vector<Keyed>::const_iterator end) {
    std::vector<std::size_t> same;
    for (; at != end && at->key == key; ++at) {
      same.push_back(at->stack);
    }
    return same;
  }

  void pair_aligned(std::vector<std::size_t> of_before, std::vector<std::size_t> of_after) {
    for (const auto& [i, j] : align_by_lines(tree_, before_, of_before, after_, of_after)) {
      pair(i, j, false);
    }
  }

  void pair(std::size_t before, std::size_t after, bool is_similar) {
    before_is_free_[before] = false;
    after_is_free_[after] = false;
    pairs_.push_back({before, after, is_similar});
  }

  static std::vector<std::size_t> free_stacks(const std::vector<bool>& is_free) {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < is_free.size(); ++i) {
      if (is_free[i]) {
        free.push_back(i);
      }
    }
    return free;
  }

  const ComparableTree& tree_;
  std::span<const ComparableStack> before_;
  std::span<const ComparableStack> after_;
  std::vector<bool> before_is_free_;
  std::vector<bool> after_is_free_;
  std::vector<StackPair> pairs_;
};

}  // namespace

std::vector<StackPair> match_stacks(const ComparableTree& tree,
                                    std::span<const ComparableStack> before,
                                    std::span<const ComparableStack> after) {
  Matching matching(tree, before, after);
  matching.pair_equal(&ComparableFrame::site, true);
  matching.pair_equal(&ComparableFrame::name, true);
  matching.pair_equal(&ComparableFrame::short_name, true);
  matching.pair_equal(&ComparableFrame::short_name, false);
  matching.pair_similar();
  return matching.take();
}

}  // namespace tidemark::analyzer
