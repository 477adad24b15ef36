#include "analyzer/tensors/place_rule.hpp"

#include "analyzer/query/pass/excerpt.hpp"
#include "analyzer/query/stack_sampling.hpp"
#include "analyzer/tensors/stack_keys.hpp"
#include "analyzer/tensors/tensor_sets.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kMinSeen = 4;

constexpr bool are_nearly_all(std::size_t part, std::size_t whole) {
  return part * 10 >= whole * 9;
}

/// A block of a place.
struct Member {
  std::uint32_t life = 0;
  std::uint64_t size = 0;
  std::optional<TensorPart> part{};  ///< That was seen.
  bool is_other = false;             ///< What was seen is not a tensor.

  [[nodiscard]] bool is_unknown() const { return !part && !is_other; }
};

/// How a place has its tensors.
struct PlaceForm {
  std::string_view from;
  std::string_view to;
  std::uint64_t room = 0;  ///< Bytes of a block beyond its tensor.
  auto operator<=>(const PlaceForm&) const = default;
};

/// What was seen of blocks beside tensors.
class Mismatches {
 public:
  explicit Mismatches(const trace::Definitions& definitions) {
    for (const trace::ValueMismatch& mismatch : definitions.mismatches) {
      last_ns_.emplace(mismatch.allocation, mismatch.at_ns);
    }
    for (const trace::ValueMatch& match : definitions.matches) {
      had_others_.insert(match.allocation);
    }
  }
  /// It held a tensor at another time, or was looked into after `ns`.
  [[nodiscard]] bool is_other_after(trace::AllocationNumber allocation, std::uint64_t ns) const {
    const auto last = last_ns_.find(allocation);
    return had_others_.contains(allocation) || (last != last_ns_.end() && last->second > ns);
  }

 private:
  std::unordered_map<trace::AllocationNumber, std::uint64_t> last_ns_;
  std::unordered_set<trace::AllocationNumber> had_others_;
};

class PlaceRule {
 public:
  /// @param members of one place, in the order of their allocation.
  PlaceRule(const trace::Definitions& definitions,
            const FlowIndex& flow,
            const Mismatches& mismatches,
            std::vector<Member> members)
      : definitions_(definitions),
        flow_(flow),
        mismatches_(mismatches),
        members_(std::move(members)) {}

  std::vector<InferredPart> apply() {
    if (!find_form() || !keep_fitting() || !is_enough()) {
      return {};
    }
    for (const bool by_list : {true, false}) {
      sort_tensors(by_list);
      if (const auto lead = find_lead()) {
        return take_due(*lead);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] const trace::Tensor& tensor(std::uint32_t id) const {
    return definitions_.tensors[id];
  }
  [[nodiscard]] PlaceForm form_of(const Member& seen) const {
    return {tensor(trace::index(seen.part->tensor)).type, seen.part->type,
            seen.size - seen.part->bytes};
  }
  [[nodiscard]] std::uint64_t size_of(std::uint32_t id) const {
    const std::uint64_t bytes = form_.from == form_.to
                                    ? tensor(id).bytes
                                    : trace::float_bytes(form_.to) * tensor(id).elements;
    return bytes + form_.room;
  }
  [[nodiscard]] bool is_matrix(std::uint32_t id) const { return tensor(id).shape.size() == 2; }
  [[nodiscard]] bool is_enough() const {
    return seen_ * 2 >= members_.size() || members_.size() == tensors_.size();
  }

  /// Finds the form that nearly all seen blocks share.
  bool find_form() {
    std::map<PlaceForm, std::size_t> forms;
    std::size_t seen = 0;
    for (const Member& member : members_) {
      if (member.part) {
        ++forms[form_of(member)];
        ++seen;
      }
    }
    const auto most =
        std::ranges::max_element(forms, {}, [](const auto& form) { return form.second; });
    if (seen < kMinSeen || !are_nearly_all(most->second, seen)) {
      return false;
    }
    form_ = most->first;
    seen_ = most->second;
    return true;
  }

  /// Leaves the tensors that such a block may hold, and the blocks that may hold one. @return
  /// whether few of these were seen to hold something else.
  bool keep_fitting() {
    list_tensors();
    std::set<std::uint64_t> sizes;
    for (const std::uint32_t id : tensors_) {
      sizes.insert(size_of(id));
    }
    const std::set<std::uint32_t> listed(tensors_.begin(), tensors_.end());
    std::erase_if(members_, [&](const Member& member) {
      return !sizes.contains(member.size) ||
             (member.part &&
              (form_of(member) != form_ || !listed.contains(trace::index(member.part->tensor))));
    });
    // A damaged trace may claim an impossible tensor.
    seen_ = static_cast<std::size_t>(std::ranges::count_if(
        members_, [](const Member& member) { return member.part.has_value(); }));
    if (seen_ < kMinSeen) {
      return false;
    }
    for (const Member& member : members_) {
      if (member.part) {
        first_seen_ns_ = std::min(first_seen_ns_, member.part->at_ns);
        last_seen_ns_ = std::max(last_seen_ns_, member.part->at_ns);
        are_transposed_ = are_transposed_ && (member.part->is_transposed ||
                                              !is_matrix(trace::index(member.part->tensor)));
      }
    }
    mark_others();
    const auto others =
        static_cast<std::size_t>(std::ranges::count(members_, true, &Member::is_other));
    return are_nearly_all(seen_, seen_ + others);
  }

  /// Marks those that were looked into when a tensor was due in them, and held none: either one
  /// that was allocated later had its own by then, or their turn was long over.
  void mark_others() {
    std::uint64_t first_after_ns = UINT64_MAX;  // When the first of those asked for later was.
    std::size_t behind = 0;
    for (const Member& member : members_) {
      behind = member.part ? 0 : behind + 1;
    }
    for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
      if (member->part) {
        first_after_ns = std::min(first_after_ns, member->part->at_ns);
        continue;
      }
      const std::uint64_t due_ns = last_seen_ns_ + pause_ns() * (behind + 1);
      behind -= behind == 0 ? 0 : 1;
      member->is_other = mismatches_.is_other_after(flow_.lives()[member->life].allocation,
                                                    std::min(due_ns, first_after_ns));
    }
  }

  /// The average time between the filling of two of them.
  [[nodiscard]] std::uint64_t pause_ns() const {
    return std::max(kMinWaitNs, (last_seen_ns_ - first_seen_ns_) / (seen_ - 1));
  }

  /// Lists the tensors of the form's type in the files of those that were seen; tensors that share
  /// bytes count once.
  void list_tensors() {
    std::set<std::uint32_t> files;
    for (const Member& member : members_) {
      if (member.part) {
        files.insert(trace::index(tensor(trace::index(member.part->tensor)).file));
      }
    }
    std::set<std::pair<std::uint32_t, std::uint64_t>> were_seen;
    for (std::uint32_t i = 0; i < definitions_.tensors.size(); ++i) {
      const std::uint32_t file = trace::index(tensor(i).file);
      if (tensor(i).type == form_.from && size_of(i) >= kLargeBlockBytes && files.contains(file) &&
          were_seen.emplace(file, tensor(i).begin).second) {
        tensors_.push_back(i);
      }
    }
  }

  void sort_tensors(bool by_list) {
    std::ranges::sort(tensors_, {}, [&](std::uint32_t id) {
      return by_list ? std::tuple(0U, std::uint64_t{id})
                     : std::tuple(trace::index(tensor(id).file), tensor(id).begin);
    });
  }

  /// By how much the places of tensors are ahead of those of their blocks, modulo 2^64.
  [[nodiscard]] std::optional<std::size_t> find_lead() const {
    std::unordered_map<std::uint32_t, std::size_t> ranks;
    for (const std::uint32_t id : tensors_) {
      ranks.emplace(id, ranks.size());
    }
    std::map<std::size_t, std::size_t> leads;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].part) {
        ++leads[ranks.at(trace::index(members_[i].part->tensor)) - i];
      }
    }
    const auto most =
        std::ranges::max_element(leads, {}, [](const auto& lead) { return lead.second; });
    return are_nearly_all(most->second, seen_) ? std::optional(most->first) : std::nullopt;
  }

  [[nodiscard]] std::set<std::uint32_t> seen_tensors() const {
    std::set<std::uint32_t> found;
    for (const Member& member : members_) {
      if (member.part) {
        found.insert(trace::index(member.part->tensor));
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<InferredPart> take_due(std::size_t lead) const {
    const auto seen = seen_tensors();
    std::vector<InferredPart> found;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::size_t rank = i + lead;
      if (members_[i].is_unknown() && rank < tensors_.size() && !seen.contains(tensors_[rank]) &&
          size_of(tensors_[rank]) == members_[i].size) {
        found.push_back(inferred(members_[i], tensors_[rank]));
      }
    }
    return found;
  }

  [[nodiscard]] InferredPart inferred(const Member& member, std::uint32_t id) const {
    return {member.life,
            {.tensor = trace::TensorId{id},
             .bytes = member.size - form_.room,
             .at_ns = last_seen_ns_,
             .in_file = tensor(id).bytes,
             .type = form_.to,
             .is_transposed = are_transposed_ && is_matrix(id),
             .file_begin = tensor(id).begin,
             .is_inferred = true}};
  }

  const trace::Definitions& definitions_;
  const FlowIndex& flow_;
  const Mismatches& mismatches_;
  std::vector<Member> members_;
  PlaceForm form_;
  std::size_t seen_ = 0;                      ///< How many of `members_` were seen, with that form.
  std::uint64_t first_seen_ns_ = UINT64_MAX;  ///< When the first of these was seen first.
  std::uint64_t last_seen_ns_ = 0;            ///< The same of the last.
  bool are_transposed_ = true;                ///< The matrices among them.
  std::vector<std::uint32_t> tensors_;
};

}  // namespace

bool has_place(const trace::Definitions& definitions,
               const BlockLife& life,
               trace::EventOrdinal peak) {
  return life.is_alive_after(peak) && !life.is_mapping && life.stack != trace::kNoStack &&
         !is_unsampled(definitions.session, life.stack);
}

std::vector<InferredPart> infer_parts(const trace::Definitions& definitions,
                                      const FlowIndex& flow,
                                      const std::vector<SeenBlock>& blocks) {
  std::vector<InferredPart> found;
  // Who was looked into and held something else must be known.
  if (!definitions.session.mismatches_complete) {
    return found;
  }
  StackKeys keys(definitions);
  std::map<std::pair<std::uint32_t, StackKeys::Key>, std::vector<Member>> places;
  const auto& lives = flow.lives();
  for (const SeenBlock& block : blocks) {
    const BlockLife& life = lives[block.life];
    places[{trace::index(life.process), keys.of(life.stack)}].push_back(
        {.life = block.life, .size = block.size, .part = block.part});
  }
  const Mismatches mismatches(definitions);
  for (auto& [place, members] : places) {
    std::ranges::sort(members, {}, [&](const Member& member) { return lives[member.life].born; });
    const auto parts = PlaceRule(definitions, flow, mismatches, std::move(members)).apply();
    found.insert(found.end(), parts.begin(), parts.end());
  }
  return found;
}

std::vector<InferredPart> infer_parts(const trace::Definitions& definitions,
                                      const BlockContents& contents,
                                      const FlowIndex& flow,
                                      trace::EventOrdinal peak) {
  std::vector<SeenBlock> blocks;
  for (std::uint32_t i = 0; i < flow.lives().size(); ++i) {
    const BlockLife& life = flow.lives()[i];
    if (!has_place(definitions, life, peak)) {
      continue;
    }
    SeenBlock block{.life = i, .size = flow.size_after(i, peak - 1)};
    if (contents.is_by_values(life.allocation) && contents.fits(life.allocation, block.size)) {
      const auto parts = contents.parts_of(life.allocation, block.size);
      if (parts.size() == 1) {
        block.part = parts.front();
      }
    }
    if (block.part || !contents.knows(life.allocation)) {
      blocks.push_back(block);
    }
  }
  return infer_parts(definitions, flow, blocks);
}

}  // namespace tidemark::analyzer
