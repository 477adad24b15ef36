#include "analyzer/stacks/stack_match.hpp"

#include "analyzer/stacks/stack_alignment.hpp"
#include "analyzer/stacks/stack_similarity.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace tidemark::analyzer {
namespace {

/// A stack's ids as one string: equal strings, equal stacks.
using Key = std::u32string;

Key key_of(const ComparableStack& stack, std::uint32_t ComparableFrame::*id, bool with_plumbing) {
  Key key(1, static_cast<char32_t>(stack.lane));
  for (const ComparableFrame& frame : stack.frames) {
    if (with_plumbing || !frame.is_plumbing) {
      key += static_cast<char32_t>(frame.*id);
    }
  }
  return key;
}

class Matching {
 public:
  Matching(std::span<const ComparableStack> before, std::span<const ComparableStack> after)
      : before_(before),
        after_(after),
        before_is_free_(before.size(), true),
        after_is_free_(after.size(), true) {}

  void pair_equal(std::uint32_t ComparableFrame::*id, bool with_plumbing) {
    // What is plumbing all through has no function of its own to be known by.
    const auto is_keyed = [&](const ComparableStack& stack) {
      return with_plumbing || !std::ranges::all_of(stack.frames, &ComparableFrame::is_plumbing);
    };
    std::unordered_map<Key, std::size_t> group_of;
    std::vector<Group> groups;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (before_is_free_[i] && is_keyed(before_[i])) {
        const auto [entry, is_new] =
            group_of.try_emplace(key_of(before_[i], id, with_plumbing), groups.size());
        if (is_new) {
          groups.emplace_back();
        }
        groups[entry->second].before.push_back(i);
      }
    }
    for (std::size_t i = 0; i < after_.size(); ++i) {
      if (after_is_free_[i] && is_keyed(after_[i])) {
        const auto group = group_of.find(key_of(after_[i], id, with_plumbing));
        if (group != group_of.end()) {
          groups[group->second].after.push_back(i);
        }
      }
    }
    for (Group& group : groups) {
      for (const auto& [i, j] : align_by_lines(before_, group.before, after_, group.after)) {
        pair(i, j, false);
      }
    }
  }

  void pair_similar() {
    const auto before = free_stacks(before_is_free_);
    const auto after = free_stacks(after_is_free_);
    for (const auto& [i, j] : find_similar(before_, before, after_, after)) {
      pair(i, j, true);
    }
  }

  std::vector<StackPair> take() {
    std::ranges::sort(pairs_, {}, &StackPair::before);
    return std::move(pairs_);
  }

 private:
  struct Group {
    std::vector<std::size_t> before;
    std::vector<std::size_t> after;
  };

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

  std::span<const ComparableStack> before_;
  std::span<const ComparableStack> after_;
  std::vector<bool> before_is_free_;
  std::vector<bool> after_is_free_;
  std::vector<StackPair> pairs_;
};

}  // namespace

std::vector<StackPair> match_stacks(std::span<const ComparableStack> before,
                                    std::span<const ComparableStack> after) {
  Matching matching(before, after);
  matching.pair_equal(&ComparableFrame::site, true);
  matching.pair_equal(&ComparableFrame::name, true);
  matching.pair_equal(&ComparableFrame::short_name, true);
  matching.pair_equal(&ComparableFrame::short_name, false);
  matching.pair_similar();
  return matching.take();
}

}  // namespace tidemark::analyzer
