#include "analyzer/stacks/alike/stack_similarity.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_set>

namespace tidemark::analyzer {
namespace {

using Names = std::vector<std::uint32_t>;

// How much of two stacks must be the same functions in the same order.
constexpr double kMinLikeness = 0.5;
// This many functions between a request and its maker may be inlined in one of the builds.
constexpr std::size_t kMaxInlinedFrames = 3;
// Partners tried for one stack: those nearest in size.
constexpr std::size_t kMaxPartners = 64;
// A stack that holds no more than this part of all memory matters to nobody.
constexpr std::uint64_t kSmallPart = 100;
// What held so many times as much is not the same buffer in another build.
constexpr std::uint64_t kMaxSizeRatio = 64;
// Comparisons of two names, in all: about a second.
constexpr std::size_t kMaxNameComparisons = 400'000'000;

/// Who asked, as reports say it: of Python the innermost function outside its own library, else the
/// innermost one that is not plumbing.
struct Asker {
  static constexpr std::uint32_t kNobody = ComparableTree::kRoot;

  std::uint32_t node = kNobody;
  bool is_python = false;
  bool is_standard = false;
  bool is_outermost = false;  // Outermost frame of the program's Python.
};

/// By node of the tree. Callers have the lower numbers.
std::vector<Asker> askers_of(const ComparableTree& tree) {
  std::vector<Asker> askers(tree.size());
  for (std::uint32_t node = ComparableTree::kRoot + 1; node < askers.size(); ++node) {
    const ComparableFrame& frame = tree.frame_of(node);
    const Asker& outer = askers[tree.caller_of(node)];
    const bool has_program = outer.is_python && !outer.is_standard;
    const bool asks = frame.is_python ? !frame.is_standard || !has_program
                                      : !outer.is_python && !frame.is_plumbing;
    askers[node] = asks ? Asker{.node = node,
                                .is_python = frame.is_python,
                                .is_standard = frame.is_standard,
                                .is_outermost = !has_program}
                        : outer;
  }
  return askers;
}

/// The lines of one side that ask, by function.
class AskingLines {
 public:
  AskingLines(const ComparableTree& tree,
              std::span<const Asker> askers,
              std::span<const ComparableStack> stacks) {
    for (const ComparableStack& stack : stacks) {
      if (const std::uint32_t node = askers[stack.node].node; node != Asker::kNobody) {
        lines_.insert(key_of(tree.frame_of(node)));
      }
    }
  }

  [[nodiscard]] bool have(const ComparableFrame& frame) const {
    return frame.line != 0 && lines_.contains(key_of(frame));
  }

 private:
  static std::uint64_t key_of(const ComparableFrame& frame) {
    return std::uint64_t{frame.short_name} << 32U | frame.line;
  }

  std::unordered_set<std::uint64_t> lines_;
};

std::uint64_t bytes_of(std::span<const ComparableStack> stacks) {
  return std::accumulate(
      stacks.begin(), stacks.end(), std::uint64_t{0},
      [](std::uint64_t bytes, const ComparableStack& stack) { return bytes + stack.bytes; });
}

/// Whether what asked in one build may have asked in the other.
class SameAsker {
 public:
  /// `tree` stays borrowed.
  SameAsker(const ComparableTree& tree,
            std::span<const ComparableStack> before,
            std::span<const ComparableStack> after)
      : tree_(tree),
        askers_(askers_of(tree)),
        before_(tree, askers_, before),
        after_(tree, askers_, after),
        small_bytes_(std::max(bytes_of(before), bytes_of(after)) / kSmallPart) {}

  [[nodiscard]] bool operator()(const ComparableStack& before, const ComparableStack& after) const {
    const Asker& was = askers_[before.node];
    const Asker& is = askers_[after.node];
    // Whoever happens to need an allocator's next arena asks for it.
    const bool is_arena = before.bytes == after.bytes && before.bytes <= small_bytes_;
    if (is_arena || was.node == Asker::kNobody || is.node == Asker::kNobody) {
      return true;
    }
    const ComparableFrame& one = tree_.frame_of(was.node);
    const ComparableFrame& other = tree_.frame_of(is.node);
    if (one.short_name != other.short_name) {
      // A native function may be inlined. The program itself may be a script of another name.
      return (!was.is_python && !is.is_python) ||
             (one.is_script && other.is_script && was.is_outermost && is.is_outermost);
    }
    // If the function asks by both lines in both builds, these are two calls.
    return one.line == other.line || !(before_.have(other) && after_.have(one));
  }

 private:
  const ComparableTree& tree_;
  std::vector<Asker> askers_;
  AskingLines before_;
  AskingLines after_;
  std::uint64_t small_bytes_;
};

/// A stack by its short names, without plumbing, which differs with the library and its inlining.
struct Shape {
  std::size_t index = 0;
  trace::Lane lane = trace::Lane::kHeap;
  std::uint64_t bytes = 0;
  Names names;
  std::size_t python = 0;  // How many of the names are Python's.
  std::bitset<256>
      has;  // By name modulo 256: a cheap test that shows that most stacks have little in common.

  void add(const ComparableFrame& frame) {
    names.push_back(frame.short_name);
    python += frame.is_python ? 1U : 0U;
    has.set(frame.short_name % has.size());
  }
};

std::vector<Shape> shapes_of(const ComparableTree& tree,
                             std::span<const ComparableStack> stacks,
                             std::span<const std::size_t> indices) {
  std::vector<Shape> shapes;
  for (const std::size_t i : indices) {
    Shape shape{.index = i,
                .lane = stacks[i].lane,
                .bytes = stacks[i].bytes,
                .names = {},
                .python = 0,
                .has = {}};
    for (auto node = stacks[i].node; node != ComparableTree::kRoot; node = tree.caller_of(node)) {
      if (const ComparableFrame& frame = tree.frame_of(node); !frame.is_plumbing) {
        shape.add(frame);
      }
    }
    if (!shape.names.empty()) {
      shapes.push_back(std::move(shape));
    }
  }
  std::ranges::stable_sort(shapes, std::ranges::greater{}, &Shape::bytes);
  return shapes;
}

/// Length of the longest common subsequence. Adds the comparisons it took to `work`.
std::size_t common_names(std::span<const std::uint32_t> a,
                         std::span<const std::uint32_t> b,
                         std::size_t& work) {
  // Stacks of one program are the same at both ends: what differs is a few frames in the middle.
  std::size_t same = 0;
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a = a.subspan(1);
    b = b.subspan(1);
    ++same;
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a = a.first(a.size() - 1);
    b = b.first(b.size() - 1);
    ++same;
  }
  work += same + a.size() * b.size() + 1;
  Names row(b.size() + 1, 0);
  for (const std::uint32_t name : a) {
    std::uint32_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::uint32_t above = row[j + 1];
      row[j + 1] = name == b[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return same + row.back();
}

double alike_by(std::size_t common, const Shape& a, const Shape& b) {
  return 2.0 * static_cast<double>(common) / static_cast<double>(a.names.size() + b.names.size());
}

/// At least as many as common_names, and much faster.
std::size_t most_common_names(const Shape& a, const Shape& b) {
  return static_cast<std::size_t>(std::ranges::count_if(
      a.names, [&b](std::uint32_t name) { return b.has.test(name % b.has.size()); }));
}

/// How alike, from 0 to 1; 0 when they cannot be the same stack.
double likeness(const Shape& a, const Shape& b, std::size_t& work) {
  work += a.names.size();
  if (alike_by(most_common_names(a, b), a, b) < kMinLikeness) {
    return 0;
  }
  const std::size_t common = common_names(a.names, b.names, work);
  const double alike = alike_by(common, a, b);
  // One common function, which may be main, says nothing. Python inlines nothing: what `load`
  // itself asks for is not what `load` has made by `transpose`.
  const bool only_inlined =
      common == std::min(a.names.size(), b.names.size()) && common > 1 && a.python == b.python;
  const bool same_asking = a.names.front() == b.names.front();
  return alike >= kMinLikeness && (only_inlined || same_asking) ? alike : 0;
}

/// Shapes by the names near their request, each list in the order of `shapes`: by size.
class NearNames {
 public:
  explicit NearNames(std::span<const Shape> shapes) : shapes_(shapes) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const Names& names = shapes[i].names;
      for (std::size_t depth = 0; depth < std::min(kMaxInlinedFrames, names.size()); ++depth) {
        auto& list = lists_[{shapes[i].lane, names[depth], depth == 0}];
        if (list.empty() || list.back() != i) {
          list.push_back(i);
        }
      }
    }
  }

  /// The shapes whose asking function is near this one's request, or the other way round.
  [[nodiscard]] std::vector<std::size_t> partners_of(const Shape& shape) const {
    std::vector<std::size_t> partners;
    for (std::size_t depth = 0; depth < std::min(kMaxInlinedFrames, shape.names.size()); ++depth) {
      append_nearest(shape, {shape.lane, shape.names[depth], true}, partners);
    }
    append_nearest(shape, {shape.lane, shape.names.front(), false}, partners);
    std::ranges::sort(partners);
    partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
    return partners;
  }

 private:
  using Place = std::tuple<trace::Lane, std::uint32_t, bool>;  // A name, and if it is the first.

  void append_nearest(const Shape& shape,
                      const Place& place,
                      std::vector<std::size_t>& partners) const {
    const auto found = lists_.find(place);
    if (found == lists_.end()) {
      return;
    }
    const auto& list = found->second;
    const auto at = static_cast<std::size_t>(
        std::ranges::partition_point(
            list, [&](std::size_t i) { return shapes_[i].bytes > shape.bytes; }) -
        list.begin());
    const std::size_t begin = at - std::min(at, kMaxPartners / 2);
    const std::size_t end = std::min(list.size(), at + kMaxPartners / 2);
    partners.insert(partners.end(), list.begin() + static_cast<std::ptrdiff_t>(begin),
                    list.begin() + static_cast<std::ptrdiff_t>(end));
  }

  std::span<const Shape> shapes_;
  std::map<Place, std::vector<std::size_t>> lists_;
};

/// Two shapes that may be the same stack.
struct Candidate {
  double alike = 0;
  std::uint64_t distance = 0;  // In bytes.
  std::size_t before = 0;
  std::size_t after = 0;
};

bool are_of_one_size(const Shape& a, const Shape& b) {
  return std::max(a.bytes, b.bytes) / kMaxSizeRatio <= std::min(a.bytes, b.bytes);
}

/// @param may_be of an index into the stacks before and one of those after.
template <typename MayBe>
std::vector<Candidate> candidates(std::span<const Shape> before,
                                  std::span<const Shape> after,
                                  const MayBe& may_be) {
  const NearNames near(after);
  std::vector<Candidate> found;
  std::size_t work = 0;
  for (std::size_t i = 0; i < before.size() && work < kMaxNameComparisons; ++i) {
    for (const std::size_t j : near.partners_of(before[i])) {
      if (!are_of_one_size(before[i], after[j]) || !may_be(before[i].index, after[j].index)) {
        continue;
      }
      if (const double alike = likeness(before[i], after[j], work); alike > 0) {
        const std::uint64_t most = std::max(before[i].bytes, after[j].bytes);
        found.push_back({alike, most - std::min(before[i].bytes, after[j].bytes), i, j});
      }
    }
  }
  // Shapes are sorted by size: if equal, the lower index is the larger stack.
  std::ranges::sort(found, [](const Candidate& a, const Candidate& b) {
    return std::tuple(b.alike, a.distance, a.before, a.after) <
           std::tuple(a.alike, b.distance, b.before, b.after);
  });
  return found;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> find_similar(
    const ComparableTree& tree,
    std::span<const ComparableStack> before,
    std::span<const std::size_t> of_before,
    std::span<const ComparableStack> after,
    std::span<const std::size_t> of_after) {
  const auto shapes_before = shapes_of(tree, before, of_before);
  const auto shapes_after = shapes_of(tree, after, of_after);
  std::vector<bool> before_is_taken(shapes_before.size());
  std::vector<bool> after_is_taken(shapes_after.size());
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const SameAsker is_same(tree, before, after);
  const auto may_be = [&](std::size_t i, std::size_t j) { return is_same(before[i], after[j]); };
  for (const Candidate& candidate : candidates(shapes_before, shapes_after, may_be)) {
    if (!before_is_taken[candidate.before] && !after_is_taken[candidate.after]) {
      before_is_taken[candidate.before] = true;
      after_is_taken[candidate.after] = true;
      pairs.emplace_back(shapes_before[candidate.before].index,
                         shapes_after[candidate.after].index);
    }
  }
  return pairs;
}

}  // namespace tidemark::analyzer
