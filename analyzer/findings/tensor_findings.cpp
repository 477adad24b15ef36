// Tensors that stand in memory with more bytes than the file has, or once more than they need to,
// where no copy was seen.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/excerpt.hpp"
#include "analyzer/query/wrapping.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// From here on two widths of an element are not the same.
constexpr double kNotableWidth = 1.25;

/// `all 24 tensors of 64 KiB or more`, `22 of the 24 ...`: smaller blocks are not followed.
std::string tensors_text(const TensorSet& set) {
  const std::size_t count = set.match.pairs.size();
  const std::string which =
      count == set.match.tensors
          ? "all " + format_count(count)
          : fmt::format("{} of the {}", format_count(count), format_count(set.match.tensors));
  return fmt::format("{} tensors of {} or more", which, format_size(kLargeBlockBytes));
}

/// `24 blocks of Empty (ndarray.cpp:71), 256.0 MiB`.
std::string set_text(const Evidence& evidence, const TensorSet& set) {
  return fmt::format("{} blocks of {}, {}", format_count(set.lives.size()),
                     asking_place(evidence, set.lives).text, format_size(set.bytes));
}

std::string times_text(std::size_t times) {
  return times == 2 ? "twice" : fmt::format("{} times", times);
}

double file_element_bytes(const TensorSet& set) {
  return static_cast<double>(set.match.tensor_bytes) / static_cast<double>(set.match.elements);
}

/// `4`, `0.56`.
std::string element_text(double bytes) {
  return std::abs(bytes - std::round(bytes)) < 0.005 ? fmt::format("{:.0f}", bytes)
                                                     : fmt::format("{:.2f}", bytes);
}

bool is_widened(const TensorSet& set) {
  return set.match.rule != SizeRule::kSame &&
         static_cast<double>(set.match.element_bytes) >= kNotableWidth * file_element_bytes(set);
}

/// Had each element the bytes that it has in the file: also in the blocks that a vector grew
/// through.
std::optional<LowerPeak> peak_if_narrow(const Evidence& evidence, const TensorSet& set) {
  Places places(evidence.trace.definitions());
  const std::uint32_t place = places.of(set.stack);
  std::vector<bool> is_in_set(evidence.flow.lives().size());
  for (const std::uint32_t life : set.lives) {
    is_in_set[life] = true;
  }
  const double saved = 1 - file_element_bytes(set) / static_cast<double>(set.match.element_bytes);
  Savings savings;
  for (std::uint32_t i = 0; i < is_in_set.size(); ++i) {
    const BlockLife& life = evidence.flow.lives()[i];
    const bool grew_there = life.growth_steps > 0 && places.of(life.stack) == place;
    if (is_in_set[i] || grew_there) {
      evidence.flow.save_part(i, saved, savings);
    }
  }
  return evidence.lower_peak(savings);
}

bool add_widened(const Evidence& evidence, const TensorSet& set, std::vector<Finding>& findings) {
  const auto narrow = peak_if_narrow(evidence, set);
  if (!narrow) {
    return false;
  }
  const std::string narrow_text = element_text(file_element_bytes(set));
  Finding finding{.kind = FindingKind::kWidened};
  finding.title = "more bytes an element than in the file";
  finding.sentence =
      fmt::format("{} hold {} with {} bytes an element{}; the file has {} bytes an element.",
                  blocks_text(set.bytes, set.lives.size(), asking_place(evidence, set.lives).text),
                  tensors_text(set), set.match.element_bytes,
                  set.match.rule == SizeRule::kGrown ? ", and room for a power of two of them" : "",
                  narrow_text);
  finding.bytes = set.bytes;
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), set.stack);
  narrow->note(finding);
  finding.remedy = fmt::format("With {} bytes an element", narrow_text);
  findings.push_back(std::move(finding));
  return true;
}

/// The same where the files list no tensors: of blocks that they were read into.
bool add_widened_pieces(const Evidence& evidence,
                        const TensorSet& set,
                        std::vector<Finding>& findings) {
  const auto narrow = peak_if_narrow(evidence, set);
  if (!narrow || set.was_filled()) {
    return false;
  }
  const std::size_t count = set.match.pairs.size();
  Finding finding{.kind = FindingKind::kWidened};
  finding.title = "more bytes than in the file";
  finding.sentence = fmt::format(
      "{} have {} times the sizes of {}blocks of {} or more that the file was read into, one for "
      "each: {} bytes for each byte of the file.",
      blocks_text(set.bytes, set.lives.size(), asking_place(evidence, set.lives).text),
      set.match.element_bytes,
      count == set.match.tensors
          ? fmt::format("the {} ", format_count(count))
          : fmt::format("{} of the {} ", format_count(count), format_count(set.match.tensors)),
      format_size(kLargeBlockBytes), set.match.element_bytes);
  finding.bytes = set.bytes;
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), set.stack);
  narrow->note(finding);
  finding.remedy = "With the file's bytes";
  findings.push_back(std::move(finding));
  return true;
}

/// What the process of the first set has read, in whatever pieces, and what is there at the peak
/// beside the sets.
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

/// How many bytes of the model both of two parts have at least, though nobody knows which.
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
      set.match.is_in_order ? ", in the order of the file" : "", set_text(evidence, set));
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

/// The highest peak with one of the sets alone: which of them is needed, sizes do not say.
std::optional<LowerPeak> peak_with_one(const Evidence& evidence, std::span<const TensorSet> sets) {
  LowerPeak highest;
  for (const TensorSet& kept : sets) {
    Savings savings;
    for (const TensorSet& set : sets) {
      if (&set != &kept) {
        save_all(evidence, set.lives, savings);
      }
    }
    const auto without = evidence.lower_peak(savings);
    if (!without) {
      return std::nullopt;
    }
    highest = without->bytes >= highest.bytes ? *without : highest;
  }
  return highest;
}

/// The same tensors again and again.
bool add_copies(const Evidence& evidence,
                std::span<const TensorSet> sets,
                std::vector<Finding>& findings) {
  const auto peak = sets.size() > 1 ? peak_with_one(evidence, sets) : std::nullopt;
  if (!peak) {
    return false;
  }
  std::string places;
  std::uint64_t bytes = UINT64_MAX;
  for (const TensorSet& set : sets) {
    bytes = std::min(bytes, set.match.tensor_bytes);
    places += places.empty() ? fmt::format("{} in {}", tensors_text(set), set_text(evidence, set))
                             : fmt::format(", {}again in {}", &set == &sets.back() ? "and " : "",
                                           set_text(evidence, set));
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

/// A set by itself, in whatever order, that was begun as soon as the file was read: made from what
/// was read. Before there are gradients there is a pass through the model, and weights of another
/// set.
bool was_unpacked_at_once(const Evidence& evidence, const TensorSet& set) {
  std::uint64_t first_ns = UINT64_MAX;
  for (const std::size_t file : evidence.load.model.files) {
    first_ns = std::min(first_ns, evidence.load.files[file].first_use_ns);
  }
  return set.first_born_ns >= first_ns && set.first_born_ns <= made_at_once_until_ns(evidence.load);
}

/// Of two sets that one was made from the other, in whatever order: begun as soon as that one was
/// there, with other bytes an element. Gradients have those of their weights, and what an optimizer
/// keeps comes after them.
bool was_converted_at_once(const TensorSet& from, const TensorSet& set) {
  const double narrower = std::min(from.bytes_an_element(), set.bytes_an_element());
  const double wider = std::max(from.bytes_an_element(), set.bytes_an_element());
  const std::uint64_t made_ns = from.last_born_ns - from.first_born_ns;
  return from.was_filled() && !set.was_filled() && from.process == set.process &&
         wider >= kNotableWidth * narrower && set.first_born_ns >= from.first_born_ns &&
         set.first_born_ns <= from.last_born_ns + std::max(made_ns, kLeastWaitNs);
}

/// Gradients and an optimizer's state have the sizes of the weights, too. But gradients come the
/// last layer's first, and the state of an optimizer after them. Sets into which the model was seen
/// to go come first.
void keep_those_of_the_load(const Evidence& evidence, std::vector<TensorSet>& sets) {
  const bool are_of_load = (sets.size() == 1 && was_unpacked_at_once(evidence, sets.front())) ||
                           (sets.size() == 2 && (was_converted_at_once(sets[0], sets[1]) ||
                                                 was_converted_at_once(sets[1], sets[0])));
  if (are_of_load) {
    std::ranges::stable_partition(sets, [](const TensorSet& set) { return set.was_filled(); });
    return;
  }
  std::uint64_t gradients_ns = UINT64_MAX;
  for (const TensorSet& set : sets) {
    if (!set.was_filled() && !set.match.is_in_order) {
      gradients_ns = std::min(gradients_ns, set.first_born_ns);
    }
  }
  std::erase_if(sets, [&](const TensorSet& set) {
    return !set.was_filled() && (!set.match.is_in_order || set.first_born_ns >= gradients_ns);
  });
  std::ranges::stable_partition(sets, [](const TensorSet& set) { return set.was_filled(); });
}

/// Which block holds which tensor. Of several tensors of one size it may be another one of these.
void name_blocks(Evidence& evidence,
                 const std::vector<WeightTensor>& tensors,
                 const std::vector<TensorSet>& sets) {
  for (const TensorSet& set : sets) {
    for (std::size_t i = 0; i < set.lives.size(); ++i) {
      evidence.name(set.lives[i], tensors[set.match.pairs[i].first].id);
    }
  }
}

/// Blocks at the peak that have the same multiple of what was read into each.
struct ReadAndWidened {
  std::vector<std::uint32_t> lives;
  std::set<std::uint64_t> sizes;
  std::uint64_t bytes = 0;
  std::uint64_t read_bytes = 0;
};

/// By that multiple: of large blocks that are touched beyond what was read, as what is widened in
/// place is. One with room to spare is not.
std::map<std::uint64_t, ReadAndWidened> find_read_and_widened(const Evidence& evidence) {
  constexpr std::uint64_t kMaxSlack = 4096 + 64;
  std::map<trace::AllocationNumber, std::uint64_t> touched;
  for (const trace::Look& look : evidence.trace.definitions().looks) {
    std::uint64_t& bytes = touched[look.allocation];
    bytes = std::max(bytes, look.bytes);
  }
  std::map<std::uint64_t, ReadAndWidened> found;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    if (life.is_mapping || life.read_bytes < kLargeBlockBytes || life.growth_steps != 0 ||
        life.copied_in_bytes != 0 || !life.is_alive_after(evidence.peak) || evidence.explained[i]) {
      continue;
    }
    const std::uint64_t times = life.size / life.read_bytes;
    const auto seen = touched.find(life.allocation);
    if (times < 2 || life.size - times * life.read_bytes > kMaxSlack || seen == touched.end() ||
        !is_most_of(seen->second, life.size)) {
      continue;
    }
    ReadAndWidened& group = found[times];
    group.lives.push_back(i);
    group.sizes.insert(life.size);
    group.bytes += life.size;
    group.read_bytes += life.read_bytes;
  }
  return found;
}

/// Eight blocks of three sizes, and half of the model at least: what is said of one block may be
/// chance.
void tell_read_and_widened(Evidence& evidence, std::vector<Finding>& findings) {
  for (const auto& [times, group] : find_read_and_widened(evidence)) {
    if (group.lives.size() < 8 || group.sizes.size() < 3 ||
        group.read_bytes < evidence.load.model.bytes / 2) {
      continue;
    }
    Savings savings;
    for (const std::uint32_t life : group.lives) {
      evidence.flow.save_part(life, 1 - 1 / static_cast<double>(times), savings);
    }
    const auto narrow = evidence.lower_peak(savings);
    if (!narrow) {
      continue;
    }
    const AskingPlace place = asking_place(evidence, group.lives);
    Finding finding{.kind = FindingKind::kWidened, .title = "more bytes than in the file"};
    finding.sentence = fmt::format(
        "{} have {} times the bytes that were read from the file into each, {}, and were touched "
        "beyond these: as what is widened in place.",
        blocks_text(group.bytes, group.lives.size(), place.text), times,
        format_size(group.read_bytes));
    finding.bytes = group.bytes;
    finding.at_ns = evidence.load.peak.at.at_ns;
    finding.frames = named_stack(evidence.trace.definitions(), place.stack);
    narrow->note(finding);
    finding.remedy = "With the file's bytes";
    findings.push_back(std::move(finding));
    evidence.explain(group.lives);
  }
}

/// By the sizes of what the files were read into: which tensor is which is not known.
void find_widened_pieces(Evidence& evidence, std::vector<Finding>& findings) {
  const auto sets =
      find_tensor_sets(evidence.trace.definitions(), pieces_as_read(evidence.flow, evidence.load),
                       evidence.flow, evidence.peak, evidence.explained);
  for (const TensorSet& set : sets) {
    if (is_widened(set) && was_unpacked_at_once(evidence, set) &&
        add_widened_pieces(evidence, set, findings)) {
      evidence.explain(set.lives);
    }
  }
}

}  // namespace

void find_tensors(Evidence& evidence, std::vector<Finding>& findings) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  const auto tensors = model_tensors(definitions, evidence.load);
  if (tensors.empty()) {
    tell_read_and_widened(evidence, findings);
    find_widened_pieces(evidence, findings);
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
    if (is_widened(set) && add_widened(evidence, set, findings)) {
      evidence.explain(set.lives);
    }
  }
  if (add_as_read(evidence, listed_bytes, as_read, sets.front(), findings)) {
    evidence.explain(as_read.lives);
  }
  // Each holds nearly all of the model, so those of one process hold it again and again.
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
