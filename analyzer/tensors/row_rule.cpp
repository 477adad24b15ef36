#include "analyzer/tensors/row_rule.hpp"

#include "analyzer/tensors/stack_keys.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
namespace {

using LastOther = std::unordered_map<trace::AllocationNumber, std::uint64_t>;

class Row {
 public:
  Row(const FlowIndex& flow, const LastOther& last_other, std::vector<SeenInRow> members)
      : flow_(flow), last_other_(last_other), members_(std::move(members)) {
    std::ranges::sort(members_, {},
                      [&](const SeenInRow& member) { return flow.lives()[member.life].born; });
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].begin) {
        seen_.push_back(i);
      }
    }
    note_due();
  }

  std::vector<InferredInRow> infer(std::uint64_t file_bytes) {
    constexpr std::size_t kMinSeenRows = 4;
    std::vector<InferredInRow> found;
    if (seen_.size() < kMinSeenRows || !find_step()) {
      return found;
    }
    std::vector<std::size_t> due;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const double middle = begin_of(i) + step_ / 2;
      if (!members_[i].begin && middle > 0 && middle < static_cast<double>(file_bytes)) {
        due.push_back(i);
      }
    }
    const std::size_t others = std::erase_if(due, [this](std::size_t i) { return is_other(i); });
    if (due.size() + others > seen_.size() ||
        !are_nearly_all(seen_.size(), seen_.size() + others)) {
      return found;
    }
    for (const std::size_t i : due) {
      const double end = std::min(begin_of(i) + step_, static_cast<double>(file_bytes));
      found.push_back({members_[i].life, static_cast<std::uint64_t>(std::max(begin_of(i), 0.0)),
                       static_cast<std::uint64_t>(end), members_[seen_.back()].at_ns});
    }
    return found;
  }

 private:
  /// A member has to be filled before the first later one is seen.
  void note_due() {
    due_ns_.resize(members_.size());
    std::uint64_t due_ns = seen_.empty() ? 0 : members_[seen_.back()].at_ns + kMinWaitNs;
    for (std::size_t i = members_.size(); i-- > 0;) {
      due_ns = members_[i].begin ? std::min(due_ns, members_[i].at_ns) : due_ns;
      due_ns_[i] = due_ns;
    }
  }

  static bool are_nearly_all(std::size_t part, std::size_t whole) { return part * 10 >= whole * 9; }

  [[nodiscard]] double begin_at(std::size_t member) const {
    return static_cast<double>(*members_[member].begin);
  }

  /// How far apart two neighbours are in the file; @return whether nearly all agree.
  bool find_step() {
    step_ = (begin_at(seen_.back()) - begin_at(seen_.front())) /
            static_cast<double>(seen_.back() - seen_.front());
    std::size_t agree = 1;
    for (std::size_t i = 1; i < seen_.size(); ++i) {
      const double expected = step_ * static_cast<double>(seen_[i] - seen_[i - 1]);
      const double apart = begin_at(seen_[i]) - begin_at(seen_[i - 1]);
      agree += std::abs(apart - expected) <= step_ / 8 ? 1U : 0U;
    }
    return step_ >= 1 && are_nearly_all(agree, seen_.size());
  }

  /// Measured from the nearest seen one before it, or else after it.
  [[nodiscard]] double begin_of(std::size_t member) const {
    const auto behind = std::ranges::upper_bound(seen_, member);
    const std::size_t near = behind == seen_.begin() ? *behind : *std::prev(behind);
    return begin_at(near) + step_ * (static_cast<double>(member) - static_cast<double>(near));
  }

  /// Whether one held something else when it was its turn: a later one had been filled by then.
  [[nodiscard]] bool is_other(std::size_t member) const {
    const auto other = last_other_.find(flow_.lives()[members_[member].life].allocation);
    return other != last_other_.end() && other->second > due_ns_[member];
  }

  const FlowIndex& flow_;
  const LastOther& last_other_;
  std::vector<SeenInRow> members_;
  std::vector<std::size_t> seen_;      ///< Indices into `members_`.
  std::vector<std::uint64_t> due_ns_;  ///< By member: when it has to hold its part.
  double step_ = 0;
};

}  // namespace

std::vector<InferredInRow> infer_in_rows(const trace::Definitions& definitions,
                                         const FlowIndex& flow,
                                         const std::vector<SeenInRow>& blocks,
                                         std::uint64_t file_bytes) {
  std::vector<InferredInRow> found;
  // Who was looked into and held something else must be known.
  if (!definitions.session.mismatches_complete) {
    return found;
  }
  LastOther last_other;
  for (const trace::ValueMismatch& mismatch : definitions.mismatches) {
    last_other.emplace(mismatch.allocation, mismatch.at_ns);
  }
  StackKeys keys(definitions);
  std::map<std::tuple<std::uint32_t, std::uint64_t, StackKeys::Key>, std::vector<SeenInRow>> rows;
  for (const SeenInRow& block : blocks) {
    const BlockLife& life = flow.lives()[block.life];
    rows[{trace::index(life.process), block.size, keys.of(life.stack)}].push_back(block);
  }
  for (auto& [place, members] : rows) {
    const auto inferred = Row(flow, last_other, std::move(members)).infer(file_bytes);
    found.insert(found.end(), inferred.begin(), inferred.end());
  }
  return found;
}

}  // namespace tidemark::analyzer
