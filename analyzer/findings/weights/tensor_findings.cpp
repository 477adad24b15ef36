// Tensors that are in memory with more bytes than the file has, or once more than they need to,
// where no copy was seen.
//
// `twice`, by sizes: so many tensors have a block of exactly their size, or of a constant number of
// bytes an element, once more than elsewhere, or beside what was read whole. So many: half of the
// model's bytes, and eight tensors of three sizes at least; or sixteen of two sizes, in the file's
// order, if the bytes an element differ from the file's.

#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/weights/sets_of_load.hpp"
#include "analyzer/findings/weights/tensor_set_text.hpp"
#include "analyzer/findings/weights/widened_findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/wrapping.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

std::string times_text(std::size_t times) {
  return times == 2 ? "twice" : fmt::format("{} times", times);
}

/// What the process of the first set has read, in whatever pieces, and is there at the peak beside
/// the sets.
struct AsRead {
  std::vector<std::uint32_t> lives;
  std::uint64_t bytes = 0;
  trace::StackId stack = trace::kNoStack;
};

AsRead find_as_read(const Evidence& evidence, const std::vector<TensorSet>& sets) {
  std::vector<bool> is_in_set(evidence.flow.lives().size());
  for (const TensorSet& set : sets) {
    for (const std::uint32_t life : set.lives) {
      is_in_set[life] = true;
    }
  }
  AsRead found;
  std::uint64_t largest = 0;
  for (std::uint32_t i = 0; i < is_in_set.size(); ++i) {
    const BlockLife& life = evidence.flow.lives()[i];
    if (is_in_set[i] || evidence.explained[i] || life.is_mapping || !life.holds_model() ||
        life.process != sets.front().process || !life.is_alive_after(evidence.peak)) {
      continue;
    }
    const std::uint64_t bytes =
        std::min(evidence.flow.size_after(i, evidence.peak - 1), evidence.flow.arrived(i));
    found.lives.push_back(i);
    found.bytes += bytes;
    if (bytes > largest) {
      largest = bytes;
      found.stack = life.stack;
    }
  }
  return found;
}

void save_all(const Evidence& evidence, const std::vector<std::uint32_t>& lives, Savings& savings) {
  for (const std::uint32_t life : lives) {
    evidence.flow.save(life, 0, savings);
  }
}

/// @param times how often `bytes` of the model are there: 2 or more.
Finding duplicate(const Evidence& evidence,
                  trace::StackId stack,
                  std::uint64_t bytes,
                  std::size_t times) {
  Finding finding{.kind = FindingKind::kTwice};
  if (is_most_of(bytes, evidence.load.model.bytes)) {
    finding.title =
        fmt::format("{} copies of the weights", times == 2 ? "two" : std::to_string(times));
  } else {
    finding.title = "weights in memory " + times_text(times);
  }
  finding.bytes = bytes;
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), stack);
  return finding;
}

/// How many bytes of the model both of two parts have at least, whichever these are.
std::uint64_t overlap(std::uint64_t one, std::uint64_t other, std::uint64_t all) {
  return one + other - std::min(one + other, all);
}

/// As the file has them, and tensor by tensor.
/// @param listed_bytes of all tensors.
bool add_as_read(const Evidence& evidence,
                 std::uint64_t listed_bytes,
                 const AsRead& as_read,
                 const TensorSet& set,
                 std::vector<Finding>& findings) {
  Savings savings;
  save_all(evidence, as_read.lives, savings);
  const auto without = evidence.lower_peak(savings);
  const std::uint64_t smaller = std::min(as_read.bytes, set.match.tensor_bytes);
  const std::uint64_t bytes =
      std::min(smaller, overlap(as_read.bytes, set.match.tensor_bytes, listed_bytes));
  if (!without || set.was_filled() || !is_most_of(bytes, smaller)) {
    return false;
  }
  Finding finding = duplicate(evidence, as_read.stack, bytes, 2);
  finding.sentence = fmt::format(
      "{} of the weights are in memory twice at the peak: as read, in {} {} of {}, and tensor by "
      "tensor: {} have a block of their {}{}, among {}. No copy into these was seen.",
      format_size(bytes), format_count(as_read.lives.size()),
      as_read.lives.size() == 1 ? "block" : "blocks",
      place_text(named_stack(evidence.trace.definitions(), as_read.stack)), tensors_text(set),
      set.match.rule == SizeRule::kSame ? "size" : "number of elements",
      set.match.is_in_order ? ", in the order of the file" : "",
      set_texts(evidence, std::span(&set, 1)).front());
  without->note(finding);
  findings.push_back(std::move(finding));
  return true;
}

/// `No read or copy into the latter was seen.`
std::string filling_text(std::span<const TensorSet> sets) {
  const auto unseen =
      std::ranges::count_if(sets, [](const TensorSet& set) { return !set.was_filled(); });
  if (unseen == 0) {
    return "All were filled from the file.";
  }
  if (unseen == 1) {
    return fmt::format("No read or copy into the {} was seen.",
                       sets.size() == 2 ? "latter" : "last");
  }
  return unseen == std::ssize(sets)
             ? "No read or copy into any of them was seen."
             : fmt::format("No read or copy into {} of them was seen.", unseen);
}

/// The highest peak with only one of the sets: sizes do not show which one is needed. In turn,
/// another peak as high may have one of them as well: then others go.
std::optional<LowerPeak> peak_with_one(const Evidence& evidence, std::span<const TensorSet> sets) {
  std::optional<LowerPeak> highest;
  for (const TensorSet& kept : sets) {
    Savings savings;
    for (const TensorSet& set : sets) {
      if (&set != &kept) {
        save_all(evidence, set.lives, savings);
      }
    }
    const auto without = evidence.lower_peak(savings);
    if (!without && !evidence.is_in_turn) {
      return std::nullopt;
    }
    if (without && (!highest || without->bytes >= highest->bytes)) {
      highest = without;
    }
  }
  return highest;
}

/// Adds copies of the same tensors.
bool add_copies(const Evidence& evidence,
                std::span<const TensorSet> sets,
                std::vector<Finding>& findings) {
  const auto peak = sets.size() > 1 ? peak_with_one(evidence, sets) : std::nullopt;
  if (!peak) {
    return false;
  }
  std::string places;
  std::uint64_t bytes = UINT64_MAX;
  const std::vector<std::string> texts = set_texts(evidence, sets);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    bytes = std::min(bytes, sets[i].match.tensor_bytes);
    places += i == 0 ? fmt::format("{} in {}", tensors_text(sets[i]), texts[i])
                     : fmt::format(", {}again in {}", i + 1 == sets.size() ? "and " : "", texts[i]);
  }
  Finding finding = duplicate(evidence, sets.back().stack, bytes, sets.size());
  finding.sentence =
      fmt::format("{} of the weights are in memory {} at the peak, by the sizes of blocks: {}. {}",
                  format_size(bytes), times_text(sets.size()), places, filling_text(sets));
  peak->note(finding);
  finding.remedy = "With one of them";
  findings.push_back(std::move(finding));
  return true;
}

/// Notes which block holds which tensor. If several tensors have one size, it may be another one of
/// these.
void name_blocks(Evidence& evidence,
                 const std::vector<WeightTensor>& tensors,
                 const std::vector<TensorSet>& sets) {
  for (const TensorSet& set : sets) {
    for (std::size_t i = 0; i < set.lives.size(); ++i) {
      evidence.name(set.lives[i], tensors[set.match.pairs[i].first].id);
    }
  }
}

}  // namespace

void find_tensors(Evidence& evidence, std::vector<Finding>& findings) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  const auto tensors = model_tensors(definitions, evidence.load);
  if (tensors.empty()) {
    find_widened_unlisted(evidence, findings);
    return;
  }
  auto sets =
      find_tensor_sets(definitions, tensors, evidence.flow, evidence.peak, evidence.explained);
  keep_those_of_the_load(evidence, sets);
  if (sets.empty()) {
    return;
  }
  name_blocks(evidence, tensors, sets);
  std::uint64_t listed_bytes = 0;
  for (const WeightTensor& tensor : tensors) {
    listed_bytes += tensor.bytes;
  }
  const AsRead as_read = find_as_read(evidence, sets);
  for (const TensorSet& set : sets) {
    find_widened(evidence, set, findings);
  }
  if (add_as_read(evidence, listed_bytes, as_read, sets.front(), findings)) {
    evidence.explain(as_read.lives);
  }
  // Each holds nearly all of the model, so those of one process hold it several times.
  std::erase_if(sets, [process = sets.front().process](const TensorSet& set) {
    return set.process != process;
  });
  if (add_copies(evidence, sets, findings)) {
    for (const TensorSet& set : sets) {
      evidence.explain(set.lives);
    }
  }
}

}  // namespace tidemark::analyzer
