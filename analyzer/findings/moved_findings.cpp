// Weights that a loop of the program moved or widened, of files that list no tensors, or scaled, of
// any file: which bytes of the file a block holds is known by where they were read, or by its
// values.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/widened_findings.hpp"
#include "analyzer/flow/block_looks.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// A part of a file.
struct Part {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

/// Parts of a file, joined.
class Coverage {
 public:
  void add(Part part) {
    auto at = parts_.upper_bound(part.begin);
    at = at != parts_.begin() && std::prev(at)->second >= part.begin ? std::prev(at) : at;
    while (at != parts_.end() && at->first <= part.end) {
      part = {std::min(part.begin, at->first), std::max(part.end, at->second)};
      at = parts_.erase(at);
    }
    parts_.emplace(part.begin, part.end);
  }
  [[nodiscard]] std::uint64_t overlap(const Part& part) const {
    std::uint64_t bytes = 0;
    auto at = parts_.upper_bound(part.begin);
    at = at != parts_.begin() ? std::prev(at) : at;
    for (; at != parts_.end() && at->first < part.end; ++at) {
      const std::uint64_t begin = std::max(part.begin, at->first);
      bytes += std::max(begin, std::min(part.end, at->second)) - begin;
    }
    return bytes;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> parts_;  // Begin to end.
};

/// What a block holds of a file.
struct Holder {
  std::uint32_t life = 0;
  std::uint64_t used = 0;  ///< Of the block, where it was seen by its values.
  std::vector<Part> parts{};
  std::string type{};  ///< Of an element, where it is not the file's.
  std::string file_type{};
  bool is_seen = false;  ///< By its values, and not by what was read or copied into it.

  [[nodiscard]] bool is_scaled() const { return !type.empty() && type == file_type; }
  [[nodiscard]] bool is_widened() const { return !type.empty() && type != file_type; }
  [[nodiscard]] bool is_as_in_file() const { return type.empty(); }
  /// Bytes in the block for each byte of the file.
  [[nodiscard]] double times() const {
    return is_widened() && bytes() != 0 ? static_cast<double>(used) / static_cast<double>(bytes())
                                        : 1;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Part& part : parts) {
      sum += part.bytes();
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t overlap(const Coverage& coverage) const {
    std::uint64_t sum = 0;
    for (const Part& part : parts) {
      sum += coverage.overlap(part);
    }
    return sum;
  }
  void add_to(Coverage& coverage) const {
    for (const Part& part : parts) {
      coverage.add(part);
    }
  }
};

/// Process and file.
using Key = std::pair<std::uint32_t, std::uint32_t>;
using HoldersByFile = std::map<Key, std::vector<Holder>>;

/// Files of the model, by FileId, and whether they list their tensors: then more is known of them.
using ModelFileIds = std::map<std::uint32_t, bool>;

ModelFileIds model_file_ids(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::set<std::string> paths;
  for (const std::size_t number : evidence.load.model.files) {
    paths.insert(evidence.load.files[number].path);
  }
  ModelFileIds files;
  for (std::uint32_t i = 0; i < definitions.files.size(); ++i) {
    if (paths.contains(definitions.files[i].path)) {
      files[i] = false;
    }
  }
  for (const trace::Tensor& tensor : definitions.tensors) {
    if (const auto file = files.find(trace::index(tensor.file)); file != files.end()) {
      file->second = true;
    }
  }
  return files;
}

bool is_scaled(const trace::PackedMatch& match) {
  return !match.type.empty() && match.type == match.file_type;
}

/// Of files with a list what is scaled alone: the rest is told tensor by tensor.
bool is_told_here(const trace::PackedMatch& match, const ModelFileIds& files) {
  const auto file = files.find(trace::index(match.file));
  if (match.distance != 0 || file == files.end()) {
    return false;
  }
  const std::uint64_t wide = trace::float_bytes(match.type);
  const std::uint64_t narrow = trace::value_bytes(match.file_type);
  return is_scaled(match) ? wide != 0
                          : !file->second && (match.type.empty() || (narrow != 0 && wide > narrow));
}

/// What was seen at the peak, or soon after: the blocks stood there for that.
std::unordered_map<trace::AllocationNumber, const trace::PackedMatch*> seen_at_peak(
    const Evidence& evidence, const ModelFileIds& files) {
  const std::uint64_t peak_ns = evidence.load.peak.at.at_ns;
  const std::uint64_t last_ns = std::max(peak_ns, made_at_once_until_ns(evidence.load));
  std::unordered_map<trace::AllocationNumber, const trace::PackedMatch*> seen;
  for (const trace::PackedMatch& match : evidence.trace.definitions().packed) {
    if (is_told_here(match, files) && match.from_ns <= last_ns && peak_ns <= match.until_ns) {
      seen.try_emplace(match.allocation, &match);
    }
  }
  return seen;
}

/// Of what is packed as a whole, unpacked; where that is not known, no bound.
std::uint64_t content_bytes(const trace::File& file) {
  constexpr std::uint64_t kUnbounded = std::uint64_t{1} << 47U;
  if (!file.compressed) {
    return file.size;
  }
  return file.unpacked_bytes != 0 ? file.unpacked_bytes : kUnbounded;
}

Holder seen_holder(const Evidence& evidence,
                   const BlockLooks& looks,
                   std::uint32_t life,
                   const trace::PackedMatch& match) {
  Holder holder{.life = life, .type = match.type, .file_type = match.file_type, .is_seen = true};
  // A vector that grew has room to spare.
  const std::uint64_t unused =
      looks.untouched_bytes(evidence.flow.lives()[life], evidence.load.duration_ns);
  const std::uint64_t room = evidence.flow.size_after(life, evidence.peak - 1);
  holder.used = room - std::min(room, unused);
  const std::uint64_t file_bytes =
      content_bytes(evidence.trace.definitions().files[trace::index(match.file)]);
  const std::uint64_t begin = std::min(match.offset, file_bytes);
  const std::uint64_t elements =
      holder.is_widened() ? holder.used / trace::float_bytes(match.type) : holder.used;
  const std::uint64_t each = holder.is_widened() ? trace::value_bytes(match.file_type) : 1;
  holder.parts.push_back({begin, std::min(begin + elements * each, file_bytes)});
  return holder;
}

/// Whole numbers of a byte each have scales between them, or elsewhere: what is from where one
/// block's begin to where the next one's do is of that block, but for a gap.
void add_scales(std::uint64_t file_bytes, std::vector<Holder>& holders) {
  std::vector<Part*> parts;
  for (Holder& holder : holders) {
    if (trace::is_byte(holder.file_type)) {
      parts.push_back(&holder.parts.front());
    }
  }
  std::ranges::sort(parts, {}, &Part::begin);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::uint64_t next = i + 1 < parts.size() ? parts[i + 1]->begin : file_bytes;
    if (next > parts[i]->end && next - parts[i]->end <= parts[i]->bytes() / 4) {
      parts[i]->end = next;
    }
  }
}

/// Blocks at the peak that no finding names: first those that the file was read or copied into,
/// then those that were seen to hold it, as they came.
HoldersByFile holders_at_peak(const Evidence& evidence) {
  const ModelFileIds files = model_file_ids(evidence);
  const auto seen = seen_at_peak(evidence, files);
  HoldersByFile all;
  if (seen.empty()) {
    return all;
  }
  std::unordered_map<trace::AllocationNumber, std::map<std::uint32_t, std::vector<Part>>> read;
  for (const trace::Origin& origin : evidence.trace.definitions().origins) {
    if (files.contains(trace::index(origin.file)) &&
        has_values(evidence.trace.definitions(), origin)) {
      read[origin.allocation][trace::index(origin.file)].push_back(
          {origin.offset, origin.offset + origin.bytes});
    }
  }
  const BlockLooks looks(evidence.trace.definitions());
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (!lives[i].is_alive_after(evidence.peak) || lives[i].is_mapping || evidence.explained[i]) {
      continue;
    }
    const std::uint32_t process = trace::index(lives[i].process);
    if (const auto known = read.find(lives[i].allocation); known != read.end()) {
      for (auto& [file, parts] : known->second) {
        all[{process, file}].push_back({.life = i, .parts = std::move(parts)});
      }
    } else if (const auto match = seen.find(lives[i].allocation); match != seen.end()) {
      all[{process, trace::index(match->second->file)}].push_back(
          seen_holder(evidence, looks, i, *match->second));
    }
  }
  for (auto& [key, holders] : all) {
    add_scales(content_bytes(evidence.trace.definitions().files[key.second]), holders);
    std::ranges::stable_sort(holders, {}, [&](const Holder& holder) {
      return std::tuple(holder.is_seen, lives[holder.life].born);
    });
  }
  return all;
}

/// Blocks that hold what others do, in one form.
struct Again {
  std::vector<const Holder*> holders;
  Coverage coverage;              ///< What of the file they hold,
  std::uint64_t in_file = 0;      ///< and how much that is,
  std::uint64_t overlapping = 0;  ///< and how much of it they hold once more.
  std::uint64_t bytes = 0;        ///< Of them at the peak.

  [[nodiscard]] std::uint64_t used() const {
    std::uint64_t sum = 0;
    for (const Holder* holder : holders) {
      sum += holder->used;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t bytes_in_file() const {
    std::uint64_t sum = 0;
    for (const Holder* holder : holders) {
      sum += holder->bytes();
    }
    return sum;
  }
  [[nodiscard]] std::vector<std::uint32_t> lives() const {
    std::vector<std::uint32_t> lives;
    for (const Holder* holder : holders) {
      lives.push_back(holder->life);
    }
    return lives;
  }
};

/// By the type in the blocks and that in the file.
using Forms = std::map<std::pair<std::string, std::string>, Again>;

void add_to(const Evidence& evidence, const Holder& holder, Forms& forms) {
  Again& again = forms[{holder.type, holder.file_type}];
  again.holders.push_back(&holder);
  const std::uint64_t known = holder.overlap(again.coverage);
  again.overlapping += known;
  again.in_file += holder.bytes() - known;
  holder.add_to(again.coverage);
  again.bytes += evidence.flow.size_after(holder.life, evidence.peak - 1);
}

/// Those of the same file that were there first.
struct Firsts {
  std::vector<std::uint32_t> lives;
  std::uint64_t bytes = 0;
  Savings savings;  ///< Without what the others hold of it.
};

Firsts firsts_of(const Evidence& evidence,
                 const std::vector<const Holder*>& first,
                 const Again& again) {
  Firsts firsts;
  for (const Holder* holder : first) {
    const auto bytes = static_cast<std::uint64_t>(
        static_cast<double>(holder->overlap(again.coverage)) * holder->times());
    const std::uint64_t size = evidence.flow.size_after(holder->life, evidence.peak - 1);
    const bool is_copy_itself = std::ranges::find(again.holders, holder) != again.holders.end();
    if (bytes == 0 || is_copy_itself) {
      continue;
    }
    firsts.lives.push_back(holder->life);
    firsts.bytes += std::min(bytes, size);
    evidence.flow.save_part(
        holder->life,
        is_most_of(bytes, size) ? 1 : static_cast<double>(bytes) / static_cast<double>(size),
        firsts.savings);
  }
  return firsts;
}

/// The higher peak of the two without one of both: which of them is needed is not known.
std::optional<LowerPeak> peak_with_one(const Evidence& evidence,
                                       const Firsts& firsts,
                                       const Again& again) {
  Savings savings;
  for (const Holder* holder : again.holders) {
    evidence.flow.save_part(holder->life, 1, savings);
  }
  const auto without_first = evidence.lower_peak(firsts.savings);
  const auto without_again = evidence.lower_peak(savings);
  if (!without_first || !without_again) {
    return std::nullopt;
  }
  return without_first->bytes >= without_again->bytes ? without_first : without_again;
}

std::string place_of(const Evidence& evidence, const std::vector<std::uint32_t>& lives) {
  return fmt::format("{} {} of {}", format_count(lives.size()),
                     lives.size() == 1 ? "block" : "blocks", asking_place(evidence, lives).text);
}

/// `as f32 in 2 blocks of ..., as a loop converts them`.
std::string again_text(const Evidence& evidence, const Again& again) {
  const Holder& one = *again.holders.front();
  const std::string place = place_of(evidence, again.lives());
  if (one.is_scaled()) {
    return fmt::format("scaled, shifted or without their signs, in {}", place);
  }
  return one.is_widened() ? fmt::format("as {} in {}, as a loop converts them", one.type, place)
                          : fmt::format("again in {}, as a loop copies them", place);
}

/// Without all but the block that came last, of several that hold the same.
void note_the_last_alone(const Evidence& evidence,
                         const Firsts& firsts,
                         const Again& again,
                         Finding& finding) {
  if (again.overlapping == 0 ||
      !is_most_of(again.overlapping, again.in_file * (again.holders.size() - 1))) {
    return;
  }
  Savings savings = firsts.savings;
  for (std::size_t i = 0; i + 1 < again.holders.size(); ++i) {
    evidence.flow.save_part(again.holders[i]->life, 1, savings);
  }
  if (const auto with_one = evidence.lower_peak(savings)) {
    finding.copies = again.holders.size() + 1;
    finding.peak_with_one_bytes = with_one->bytes;
  }
}

/// A copy that differs is needed as it is, as far as anybody knows: there the first is what would
/// go. @return whether it is told.
bool tell_twice(const Evidence& evidence,
                const Firsts& firsts,
                const Again& again,
                std::vector<Finding>& findings) {
  const Holder& one = *again.holders.front();
  const auto without = one.is_as_in_file() ? peak_with_one(evidence, firsts, again)
                                           : evidence.lower_peak(firsts.savings);
  if (firsts.lives.empty() || again.in_file < evidence.worth_saying() || !without) {
    return false;
  }
  Finding finding{.kind = FindingKind::kTwice};
  finding.title = is_most_of(again.in_file, evidence.load.model.bytes) ? "two copies of the weights"
                                                                       : "weights in memory twice";
  finding.sentence = fmt::format(
      "{} of the weights are in memory twice at the peak, by the values that blocks hold: in {} as "
      "in the file, and {}.",
      format_size(again.in_file), place_of(evidence, firsts.lives), again_text(evidence, again));
  finding.bytes = again.in_file;
  finding.remedy = one.is_scaled()    ? "Scaled in place"
                   : one.is_widened() ? "Had the original gone once converted"
                                      : "With one of them";
  note_the_last_alone(evidence, firsts, again, finding);
  add_finding(evidence, *without, asking_place(evidence, firsts.lives).stack, std::move(finding),
              findings);
  return true;
}

/// @return whether it is told.
bool tell_widened(const Evidence& evidence, const Again& wide, std::vector<Finding>& findings) {
  const Holder& one = *wide.holders.front();
  Savings savings;
  for (const Holder* holder : wide.holders) {
    evidence.flow.save_part(holder->life, 1 - 1 / holder->times(), savings);
  }
  const auto narrow = evidence.lower_peak(savings);
  if (!narrow) {
    return false;
  }
  const auto [stack, text] = asking_place(evidence, wide.lives());
  const std::uint64_t wide_bytes = trace::float_bytes(one.type);
  const std::string narrow_text =
      element_text(static_cast<double>(wide_bytes) * static_cast<double>(wide.bytes_in_file()) /
                   static_cast<double>(wide.used()));
  Finding finding{.kind = FindingKind::kWidened, .title = "more bytes an element than in the file"};
  finding.sentence = fmt::format(
      "{} {} {} of the file as {}, by their values: {} bytes an element; the file has {} {} an "
      "element{}.",
      blocks_text(wide.bytes, wide.holders.size(), text),
      wide.holders.size() == 1 ? "holds" : "hold", one.file_type, one.type, wide_bytes, narrow_text,
      narrow_text == "1" ? "byte" : "bytes",
      trace::is_byte(one.file_type) && narrow_text != "1" ? ", with their scales" : "");
  finding.bytes = wide.bytes;
  finding.remedy =
      fmt::format("With {} {} an element", narrow_text, narrow_text == "1" ? "byte" : "bytes");
  add_finding(evidence, *narrow, stack, std::move(finding), findings);
  return true;
}

void tell_file(Evidence& evidence,
               const std::vector<Holder>& holders,
               std::vector<Finding>& findings) {
  Coverage covered;
  std::vector<const Holder*> first;
  Forms again;
  Forms wide;
  for (const Holder& holder : holders) {
    const bool is_there = is_most_of(holder.overlap(covered), holder.bytes());
    if (holder.is_seen && is_there) {
      add_to(evidence, holder, again);
    } else {
      first.push_back(&holder);
      holder.add_to(covered);
    }
    if (holder.is_widened()) {
      add_to(evidence, holder, wide);
    }
  }
  // What else holds the file may be the main part of the peak, and is another finding's.
  for (const auto& [form, blocks] : again) {
    const Firsts firsts = firsts_of(evidence, first, blocks);
    if (tell_twice(evidence, firsts, blocks, findings)) {
      evidence.explain(firsts.lives);
      evidence.explain(blocks.lives());
    }
  }
  for (const auto& [form, blocks] : wide) {
    if (tell_widened(evidence, blocks, findings)) {
      evidence.explain(blocks.lives());
    }
  }
}

}  // namespace

void find_moved(Evidence& evidence, std::vector<Finding>& findings) {
  for (const auto& [key, holders] : holders_at_peak(evidence)) {
    tell_file(evidence, holders, findings);
  }
}

}  // namespace tidemark::analyzer
