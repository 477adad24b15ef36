// Weights that a loop packed into another order, beside what they were packed from.
//
// `twice`: blocks at the peak were seen to hold values of a model file in another order, and beside
// them are blocks with the file's own bytes (read or copied there, or seen by their values), or its
// mapping.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/weights/file_holders.hpp"
#include "analyzer/query/stack_sampling.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/tensor_places.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Packed blocks of one process and one file of the model.
struct Packed {
  std::vector<std::uint32_t> lives;
  std::uint64_t bytes = 0;
  std::uint64_t inferred = 0;            ///< How many of `lives` were not seen.
  std::vector<std::uint32_t> originals;  ///< Blocks at the peak that hold the file as it is.
  std::vector<std::uint64_t> held;       ///< Bytes of the file in each of these.
  std::uint64_t original_bytes = 0;
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_tensor;  ///< `lives`, by tensor.
  std::vector<std::uint32_t> again;  ///< Those of `lives` whose tensor a later one holds, too.
  std::uint64_t again_bytes = 0;     ///< The bytes of these.
  std::size_t times = 1;             ///< How often one tensor is packed at most.
  bool is_mapped = false;            ///< The file is mapped at the peak.
  bool is_wide = true;  ///< All are known by one run at their beginning, and one inside.
};

using PackedByFile = std::map<std::pair<std::uint32_t, std::uint32_t>, Packed>;

/// The tensor around a place in a file, if it has as many bytes as the block, to a fiftieth: packed
/// panels may be padded. A block of another size may hold a part of it, or several.
std::optional<std::uint32_t> tensor_of_size(const trace::Definitions& definitions,
                                            const TensorPlaces& places,
                                            trace::FileId file,
                                            std::uint64_t offset,
                                            std::uint64_t size) {
  std::optional<std::uint32_t> found;
  places.visit(file, offset, offset + 1, [&](std::uint32_t tensor, std::uint64_t) {
    const std::uint64_t bytes = definitions.tensors[tensor].bytes;
    if (size >= bytes - bytes / 50 && size <= bytes + bytes / 50) {
      found = tensor;
    }
  });
  return found;
}

/// Blocks alive at the peak that hold values of a file in another order then, or soon after, since
/// that is why they were there.
PackedByFile packed_at_peak(const Evidence& evidence) {
  struct InFile {
    trace::FileId file{0};
    std::uint64_t offset = 0;
    bool is_wide = false;
  };
  constexpr std::int64_t kOrderOfFile = 4;  // See FORMAT.md.
  const ModelFileIds model = model_file_ids(evidence);
  std::map<trace::AllocationNumber, InFile> files;
  const std::uint64_t peak_ns = evidence.load.peak.at.at_ns;
  for (const trace::PackedMatch& packed : evidence.trace.definitions().packed) {
    if (packed.distance != 0 && model.contains(trace::index(packed.file)) &&
        packed.from_ns <= std::max(peak_ns, made_at_once_until_ns(evidence.load)) &&
        evidence.high_since_ns() <= packed.until_ns) {
      files[packed.allocation] = {packed.file, packed.offset, packed.distance == kOrderOfFile};
    }
  }
  PackedByFile found;
  const trace::Definitions& definitions = evidence.trace.definitions();
  const TensorPlaces places(definitions);
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size() && !files.empty(); ++i) {
    const auto known = files.find(lives[i].allocation);
    if (known != files.end() && lives[i].is_alive_after(evidence.peak) && !evidence.explained[i]) {
      const auto& [file, offset, is_wide] = known->second;
      Packed& packed = found[{trace::index(lives[i].process), trace::index(file)}];
      const std::uint64_t size = evidence.flow.size_after(i, evidence.peak - 1);
      packed.is_wide = packed.is_wide && is_wide;
      packed.lives.push_back(i);
      packed.bytes += size;
      if (const auto tensor = tensor_of_size(definitions, places, file, offset, size)) {
        packed.of_tensor[*tensor].push_back(i);
      }
    }
  }
  return found;
}

/// Finds blocks that hold one tensor several times, as when each operation packs it for itself: all
/// but the last are surplus.
void find_again(const Evidence& evidence, PackedByFile& all) {
  for (auto& [key, packed] : all) {
    for (auto& [tensor, lives] : packed.of_tensor) {
      packed.times = std::max(packed.times, lives.size());
      std::ranges::stable_sort(
          lives, {}, [&](std::uint32_t life) { return evidence.flow.lives()[life].born; });
      for (std::size_t i = 0; i + 1 < lives.size(); ++i) {
        packed.again.push_back(lives[i]);
        packed.again_bytes += evidence.flow.size_after(lives[i], evidence.peak - 1);
      }
    }
  }
}

/// Bytes by file, of one block.
using BytesByFile = std::map<std::uint32_t, std::uint64_t>;

/// What blocks have of files in the file's order: by where it came from, or by the values that were
/// seen at the peak.
std::map<trace::AllocationNumber, BytesByFile> bytes_of_files(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::map<trace::AllocationNumber, BytesByFile> held;
  for (const trace::Origin& origin : definitions.origins) {
    if (has_values(definitions, origin)) {
      held[origin.allocation][trace::index(origin.file)] += origin.bytes;
    }
  }
  const std::uint64_t peak_ns = evidence.load.peak.at.at_ns;
  const BlockContents contents(
      definitions, {.since_ns = evidence.high_since_ns(), .at_ns = peak_ns, .until_ns = peak_ns});
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    const std::uint64_t room = evidence.room_at_peak(i);
    // Also for files that list no tensors.
    if (const trace::Origin* seen = contents.seen_of(life.allocation)) {
      held[life.allocation][trace::index(seen->file)] += std::min(seen->bytes, room);
      continue;
    }
    if (!contents.is_by_values(life.allocation) || !contents.fits(life.allocation, room)) {
      continue;
    }
    for (const TensorPart& part : contents.parts_of(life.allocation, room)) {
      if (part.bytes == part.in_file && !part.is_transposed) {
        const trace::Tensor& tensor = definitions.tensors[trace::index(part.tensor)];
        held[life.allocation][trace::index(tensor.file)] += part.bytes;
      }
    }
  }
  return held;
}

/// Finds those of the process with bytes of the file: together at least a tenth of what is packed.
void find_originals(const Evidence& evidence, PackedByFile& all) {
  if (all.empty()) {
    return;
  }
  const auto held = bytes_of_files(evidence);
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const auto origins = held.find(lives[i].allocation);
    if (origins == held.end() || !lives[i].is_alive_after(evidence.peak) || evidence.explained[i]) {
      continue;
    }
    for (const auto& [file, bytes] : origins->second) {
      const auto packed = all.find({trace::index(lives[i].process), file});
      if (packed == all.end()) {
        continue;
      }
      if (lives[i].is_mapping) {
        packed->second.is_mapped = true;
      } else {
        packed->second.originals.push_back(i);
        packed->second.held.push_back(bytes);
        packed->second.original_bytes += std::min(bytes, evidence.room_at_peak(i));
      }
    }
  }
  for (auto& [key, packed] : all) {
    if (packed.original_bytes < packed.bytes / 10) {
      packed.originals.clear();
      packed.held.clear();
      packed.original_bytes = 0;
    }
  }
}

/// The other large blocks of one stack count, too, though no look came in time, if four were seen,
/// a quarter of the bytes, and all of that stack together have the size of the originals (2 %).
void add_rest(const Evidence& evidence, std::uint32_t process, Packed& packed) {
  constexpr std::size_t kMinSeen = 4;
  const auto& lives = evidence.flow.lives();
  if (packed.lives.size() < kMinSeen) {
    return;
  }
  const trace::StackId stack = lives[packed.lives.front()].stack;
  if (is_unsampled(evidence.trace.definitions().session, stack)) {
    return;
  }
  std::uint64_t all_bytes = 0;
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (lives[i].stack == stack && trace::index(lives[i].process) == process &&
        lives[i].is_alive_after(evidence.peak) && !evidence.explained[i]) {
      all_bytes += evidence.flow.size_after(i, evidence.peak - 1);
      all.push_back(i);
    }
  }
  const bool are_of_it = std::ranges::includes(all, packed.lives);
  const std::uint64_t original = packed.original_bytes;
  if (are_of_it && packed.bytes >= all_bytes / 4 && all_bytes >= original - original / 50 &&
      all_bytes <= original + original / 50) {
    packed.inferred = all.size() - packed.lives.size();
    packed.lives = std::move(all);
    packed.bytes = all_bytes;
  }
}

/// Empty if all were seen.
std::string packed_support_text(const Packed& packed) {
  return packed.inferred == 0
             ? std::string()
             : fmt::format(
                   ", {} of them by their values and {} by their place, as all together have "
                   "the size of the file's",
                   format_count(packed.lives.size() - packed.inferred),
                   format_count(packed.inferred));
}

/// The part of the `number`th original that would go: as much as was packed, however often, and
/// nothing else in its block.
double part_to_go(const Evidence& evidence, const Packed& packed, std::size_t number) {
  const std::uint64_t once = packed.bytes - std::min(packed.bytes, packed.again_bytes);
  const bool are_all = is_most_of(once, packed.original_bytes);
  const double packed_part =
      are_all ? 1 : static_cast<double>(once) / static_cast<double>(packed.original_bytes);
  const std::uint64_t size = evidence.flow.size_after(packed.originals[number], evidence.peak - 1);
  const std::uint64_t held = packed.held[number];
  return is_most_of(held, size)
             ? packed_part
             : packed_part * static_cast<double>(held) / static_cast<double>(size);
}

/// The originals, as far as they were packed; or the packed ones if the file is mapped, since the
/// original is no private memory.
Savings savings_of(const Evidence& evidence, const Packed& packed) {
  Savings savings;
  for (std::size_t i = 0; i < packed.originals.size(); ++i) {
    evidence.flow.save_part(packed.originals[i], part_to_go(evidence, packed, i), savings);
  }
  if (packed.originals.empty()) {
    for (const std::uint32_t life : packed.lives) {
      evidence.flow.save_part(life, 1, savings);
    }
  }
  return savings;
}

/// Adds the peak with each tensor packed once, unless all that is packed goes anyway.
void add_again(const Evidence& evidence, const Packed& packed, Finding& finding) {
  if (packed.again_bytes < evidence.worth_saying()) {
    return;
  }
  finding.sentence +=
      fmt::format(" {} of the packed blocks, {}, {} what another one of them holds, too.",
                  format_count(packed.again.size()), format_size(packed.again_bytes),
                  packed.again.size() == 1 ? "holds" : "hold");
  Savings savings = savings_of(evidence, packed);
  for (const std::uint32_t life : packed.again) {
    evidence.flow.save_part(life, 1, savings);
  }
  const auto with_one = packed.originals.empty() ? std::nullopt : evidence.lower_peak(savings);
  if (with_one && with_one->bytes + evidence.worth_saying() <= *finding.peak_without_bytes) {
    finding.copies = packed.times + 1;
    finding.peak_with_one_bytes = with_one->bytes;
  }
}

void tell_packed(Evidence& evidence, const Packed& packed, std::vector<Finding>& findings) {
  // A file that was packed piece by piece is there once.
  const bool is_twice = packed.is_mapped || !packed.originals.empty();
  const auto without = is_twice ? evidence.lower_peak(savings_of(evidence, packed)) : std::nullopt;
  if (packed.bytes < evidence.worth_saying() || !without) {
    return;
  }
  const bool is_mapped = packed.originals.empty();
  const auto places = is_mapped ? asking_places(evidence, {packed.lives})
                                : asking_places(evidence, {packed.lives, packed.originals});
  Finding finding{.kind = FindingKind::kTwice, .title = "weights once more in another order"};
  finding.sentence = fmt::format(
      "{} hold the weights in another order, as a loop packs them{}: {}. {}.",
      blocks_text(packed.bytes, packed.lives.size(), places.front().text),
      packed_support_text(packed),
      packed.is_wide ? "they begin as tensors of their sizes do, and go on with other values of "
                       "these than a plain copy has there"
                     : "values, or short runs of them, that lie side by side there stand at one "
                       "distance from each other in the file",
      is_mapped
          ? "The file itself is mapped"
          : "Its own bytes are still there: " +
                blocks_text(packed.original_bytes, packed.originals.size(), places.back().text));
  finding.bytes = packed.bytes;
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), places.front().stack);
  without->note(finding);
  add_again(evidence, packed, finding);
  finding.inferred_blocks = packed.inferred;
  finding.remedy = is_mapped ? "Used as it is mapped" : "Had the original gone once packed";
  findings.push_back(std::move(finding));
  evidence.explain(packed.lives);
  evidence.explain(packed.originals);
}

}  // namespace

void find_packed(Evidence& evidence, std::vector<Finding>& findings) {
  PackedByFile all = packed_at_peak(evidence);
  find_again(evidence, all);
  find_originals(evidence, all);
  for (auto& [key, packed] : all) {
    add_rest(evidence, key.first, packed);
    tell_packed(evidence, packed, findings);
  }
}

}  // namespace tidemark::analyzer
