// Tensors that are in memory more than once, by where in their file the bytes of blocks are, and by
// the values in blocks.
//
// `twice`, by origin: bytes of tensors were read or copied more than once into blocks of one
// process, as far as reads and copies of 64 KiB and more say from where, and are alive there at the
// peak. What came last of each tensor is too much.
//
// `twice`, by values: the same, with blocks that were seen to hold the tensor's values, in whatever
// type of float. Which of the two is needed is not known, so the higher peak counts.

#include "analyzer/findings/weights/duplicate_findings.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Bytes of a tensor in a block.
struct Piece {
  std::uint32_t life = 0;
  std::uint64_t in_file = 0;  ///< Bytes that they have in the file.
  double room = 0;            ///< Bytes of the block for each byte of the file.
  std::uint64_t at_ns = 0;
  std::string_view type{};  ///< An element's type there, in the definitions.
};

/// The surplus in a block.
struct Extra {
  std::uint64_t in_file = 0;
  double room = 0;  ///< Bytes of the block.
};

/// What one process holds once more than it needs to.
struct Duplicates {
  std::map<std::uint32_t, std::uint64_t> tensors;  ///< Bytes too many, by TensorId.
  std::map<std::uint32_t, Extra> lives;            ///< The surplus in each block that has one.
  /// Bytes that blocks had of these tensors before.
  std::map<std::uint32_t, std::uint64_t> firsts;
  std::set<std::string_view> types{};  ///< Types of the elements, where they are.
  std::uint64_t bytes = 0;             ///< Bytes of the file.
  bool has_values = false;             ///< Some of it was recognised by its values.
  std::uint64_t seen = 0;              ///< Blocks that were.
  std::uint64_t inferred = 0;          ///< Blocks of the same place that were not.
};

/// Which of several times stays.
enum class Kept : std::uint8_t { kFirst, kLast };

using PiecesByTensor = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Piece>>;

/// From the blocks at the peak that no finding has named, by process and tensor: also what came
/// into them after the peak, since that is why they were there.
PiecesByTensor pieces_at_peak(const Evidence& evidence,
                              const BlockContents& contents,
                              KnownBy known_by) {
  PiecesByTensor pieces;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    const std::uint64_t room = evidence.room_at_peak(i);
    const std::uint64_t bytes = contents.bytes_in(life.allocation, room);
    // More than it has room for: a part of it was given back, but it is unknown which.
    if (bytes == 0 || bytes > room || !life.is_alive_after(evidence.peak) || life.is_mapping ||
        evidence.explained[i] ||
        (known_by == KnownBy::kOrigins && contents.is_by_values(life.allocation)) ||
        !contents.fits(life.allocation, evidence.flow.size_after(i, evidence.peak - 1))) {
      continue;
    }
    const std::uint32_t process = trace::index(life.process);
    for (const TensorPart& part : contents.parts_of(life.allocation, room)) {
      pieces[{process, trace::index(part.tensor)}].push_back(
          {i, part.in_file, static_cast<double>(part.bytes) / static_cast<double>(part.in_file),
           part.at_ns, part.type});
    }
  }
  return pieces;
}

/// Adds what the pieces that came last, or first, have beyond the tensor's own bytes.
void add_duplicates(std::uint32_t tensor,
                    std::uint64_t tensor_bytes,
                    std::vector<Piece> pieces,
                    Kept kept,
                    Duplicates& found) {
  std::uint64_t held = 0;
  for (const Piece& piece : pieces) {
    held += piece.in_file;
  }
  if (held <= tensor_bytes) {
    return;
  }
  std::ranges::stable_sort(pieces, {}, &Piece::at_ns);
  if (kept == Kept::kLast) {
    std::ranges::reverse(pieces);
  }
  std::uint64_t missing = tensor_bytes;
  for (const Piece& piece : pieces) {
    const std::uint64_t needed = std::min(missing, piece.in_file);
    missing -= needed;
    if (needed != 0) {
      found.firsts[piece.life] += needed;
    }
    if (const std::uint64_t extra = piece.in_file - needed; extra != 0) {
      found.lives[piece.life].in_file += extra;
      found.lives[piece.life].room += static_cast<double>(extra) * piece.room;
      found.tensors[tensor] += extra;
      found.types.insert(piece.type);
      found.bytes += extra;
    }
  }
}

/// `model/wte`, `h.0.w, h.1.w and 22 other tensors`: the largest first.
std::string names_text(const trace::Definitions& definitions, const Duplicates& found) {
  constexpr std::size_t kNamed = 2;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> largest;
  for (const auto& [tensor, bytes] : found.tensors) {
    largest.emplace_back(bytes, tensor);
  }
  std::ranges::stable_sort(largest, std::ranges::greater{},
                           &std::pair<std::uint64_t, std::uint32_t>::first);
  std::string text;
  for (std::size_t i = 0; i < std::min(largest.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + definitions.tensors[largest[i].second].name;
  }
  if (largest.size() <= kNamed) {
    return text;
  }
  const std::size_t others = largest.size() - kNamed;
  return text +
         fmt::format(" and {} other {}", format_count(others), others == 1 ? "tensor" : "tensors");
}

/// Blocks, with the bytes that they hold of the tensors in the file.
using BytesByLife = std::map<std::uint32_t, std::uint64_t>;

/// Leaves out those with a hundredth of what the largest has, or less: a reader's buffers.
BytesByLife notable(const BytesByLife& lives) {
  const auto largest =
      std::ranges::max_element(lives, {}, [](const auto& life) { return life.second; });
  BytesByLife found;
  for (const auto& [life, bytes] : lives) {
    if (bytes > largest->second / 100) {
      found[life] = bytes;
    }
  }
  return found;
}

/// The stack of the place that has most, as several small blocks of one may have.
trace::StackId main_stack(const Evidence& evidence, const BytesByLife& lives) {
  std::map<std::uint32_t, std::pair<std::uint64_t, trace::StackId>> by_place;
  for (const auto& [life, bytes] : lives) {
    const trace::StackId stack = evidence.flow.lives()[life].stack;
    auto& [sum, first] = by_place.try_emplace(evidence.places->of(stack), 0, stack).first->second;
    sum += bytes;
  }
  const auto largest =
      std::ranges::max_element(by_place, {}, [](const auto& place) { return place.second.first; });
  return largest->second.second;
}

/// `1 block of Buffer (context.cpp:19)`, `24 blocks of Empty (ndarray.cpp:71) and other places`.
/// @param place the text of `main_stack`.
std::string lives_text(const Evidence& evidence,
                       const BytesByLife& lives,
                       const std::string& place) {
  Places& places = *evidence.places;
  const trace::StackId stack = main_stack(evidence, lives);
  const bool is_one_place = std::ranges::all_of(lives, [&](const auto& life) {
    return places.of(evidence.flow.lives()[life.first].stack) == places.of(stack);
  });
  return fmt::format("{} {} of {}{}", format_count(lives.size()),
                     lives.size() == 1 ? "block" : "blocks", place,
                     is_one_place ? "" : " and other places");
}

/// What is there once more.
struct Surplus {
  std::uint64_t in_file = 0;
  std::uint64_t room = 0;  ///< Bytes of memory.

  /// Whether an element is narrower or wider than in the file.
  [[nodiscard]] bool has_other_size() const {
    return std::max(in_file, room) - std::min(in_file, room) > in_file / kWorthSayingPart;
  }
};

Surplus surplus_of(const Duplicates& found) {
  double room = 0;
  for (const auto& [life, extra] : found.lives) {
    room += extra.room;
  }
  return {found.bytes, static_cast<std::uint64_t>(std::llround(room))};
}

/// Other blocks, if their place reads the same as that of the first ones.
std::string blocks_of_same_place(std::size_t blocks) {
  return blocks == 1 ? "another block of the same place"
                     : fmt::format("{} other blocks of the same place", format_count(blocks));
}

/// ` as bf16`, if they all have one type, with other bytes an element than the file's.
std::string type_text(const Duplicates& found) {
  return found.types.size() == 1 && surplus_of(found).has_other_size()
             ? fmt::format(" as {}", *found.types.begin())
             : std::string();
}

/// Statements based on values need a word, as nothing was seen to move there.
std::string evidence_text(const Duplicates& found) {
  return found.has_values ? by_values_text(found.seen, found.inferred)
                          : "by where their bytes were read or copied from";
}

/// Counts how many of its blocks were seen to hold these values, and how many were not.
void count_evidence(const Evidence& evidence, const BlockContents& contents, Duplicates& found) {
  std::set<std::uint32_t> lives;
  for (const auto& [life, extra] : found.lives) {
    lives.insert(life);
  }
  for (const auto& [life, bytes] : found.firsts) {
    lives.insert(life);
  }
  for (const std::uint32_t life : lives) {
    const trace::AllocationNumber allocation = evidence.flow.lives()[life].allocation;
    found.inferred += contents.is_inferred(allocation) ? 1U : 0U;
    found.seen += contents.is_by_values(allocation) && !contents.is_inferred(allocation) ? 1U : 0U;
  }
}

/// The highest number of copies that a sixteenth of the surplus has, if the surplus exceeds all
/// tensors once more; else 2. Pieces are not copies.
std::uint64_t most_times(const trace::Definitions& definitions, const Duplicates& found) {
  std::uint64_t once = 0;
  std::map<std::uint64_t, std::uint64_t, std::greater<>> bytes_of;  // By copies beyond the first.
  for (const auto& [tensor, extra] : found.tensors) {
    const std::uint64_t bytes = std::max(definitions.tensors[tensor].bytes, std::uint64_t{1});
    once += bytes;
    bytes_of[extra / bytes] += extra;
  }
  std::uint64_t most = 1;
  std::uint64_t sum = 0;
  for (const auto& [copies, extra] : bytes_of) {
    sum += extra;
    if (sum >= found.bytes / 16) {
      most = std::max(most, copies);
      break;
    }
  }
  return found.bytes > once ? 1 + most : 2;
}

/// `64.0 MiB of the weights have memory at the peak once more than they need`. If they are there
/// more often, the surplus may exceed the weights: then the bytes of memory.
std::string surplus_text(const Surplus& surplus, std::uint64_t times) {
  const std::string room = format_size(surplus.room);
  if (times > 2) {
    return fmt::format(
        "{} of the peak hold weights that are in memory already, up to {} times in all", room,
        times);
  }
  return format_size(surplus.in_file) +
         " of the weights have memory at the peak once more than they need" +
         (surplus.has_other_size() ? fmt::format(" (it takes {})", room) : "");
}

std::optional<LowerPeak> peak_without(const Evidence& evidence, const Duplicates& found) {
  Savings savings;
  for (const auto& [life, extra] : found.lives) {
    const double size = static_cast<double>(evidence.flow.size_after(life, evidence.peak - 1));
    evidence.flow.save_part(life, extra.room / std::max(size, extra.room), savings);
  }
  return evidence.lower_peak(savings);
}

/// @param instead the same with the last times kept: which of them is needed is not known, so the
/// higher peak counts. If the last ones have other bytes an element, they were made of the first:
/// these can go piece by piece, whatever the peak is without the others.
void add_finding(Evidence& evidence,
                 const Duplicates& found,
                 const Duplicates& instead,
                 std::vector<Finding>& findings) {
  if (found.bytes < evidence.worth_saying()) {
    return;
  }
  const auto without_last = peak_without(evidence, found);
  const auto without_first = peak_without(evidence, instead);
  const bool is_conversion =
      !evidence.is_in_turn && !without_last && surplus_of(found).has_other_size();
  // In turn, another peak as high may have one of the two as well: then the other one goes.
  const bool is_told = evidence.is_in_turn ? without_last || without_first
                                           : without_first && (without_last || is_conversion);
  if (!is_told) {
    return;
  }
  BytesByLife again_lives;
  std::vector<std::uint32_t> mostly;
  for (const auto& [life, extra] : found.lives) {
    again_lives[life] = extra.in_file;
    const double size = static_cast<double>(evidence.flow.size_after(life, evidence.peak - 1));
    if (extra.room > size / 2) {
      mostly.push_back(life);
    }
  }
  const BytesByLife first_lives = notable(found.firsts);
  const trace::Definitions& definitions = evidence.trace.definitions();
  const auto again_frames = named_stack(definitions, main_stack(evidence, again_lives));
  const auto places =
      told_places({named_stack(definitions, main_stack(evidence, first_lives)), again_frames});
  const bool is_last =
      without_last && (!without_first || without_last->bytes >= without_first->bytes);
  const std::uint64_t times = most_times(definitions, found);
  const Surplus surplus = surplus_of(is_last ? found : instead);
  Finding finding{.kind = FindingKind::kTwice,
                  .title = times <= 2 ? "weights in memory twice"
                                      : fmt::format("weights in memory {} times", times)};
  const std::string first = lives_text(evidence, first_lives, places.front());
  const std::string again = lives_text(evidence, again_lives, places.back());
  finding.sentence =
      fmt::format("{}, {}: {}, in {}, and again{} in {}.", surplus_text(surplus, times),
                  evidence_text(found), names_text(definitions, found), first, type_text(found),
                  again != first                ? again
                  : again_lives == found.firsts ? "the same"
                                                : blocks_of_same_place(again_lives.size()));
  finding.bytes = times > 2 || surplus.has_other_size() ? surplus.room : surplus.in_file;
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames = again_frames;
  (is_last ? *without_last : *without_first).note(finding);
  finding.inferred_blocks = found.inferred;
  finding.remedy = is_conversion ? "Converted piece by piece" : "With one of them";
  findings.push_back(std::move(finding));
  evidence.explain(mostly);
}

}  // namespace

void tell_duplicates(Evidence& evidence,
                     const BlockContents& contents,
                     KnownBy known_by,
                     std::vector<Finding>& findings) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::map<std::uint32_t, std::pair<Duplicates, Duplicates>> by_process;
  for (const auto& [key, pieces] : pieces_at_peak(evidence, contents, known_by)) {
    const auto& [process, tensor] = key;
    const bool has_values = std::ranges::any_of(pieces, [&](const Piece& piece) {
      return contents.is_by_values(evidence.flow.lives()[piece.life].allocation);
    });
    if (known_by == KnownBy::kAny && !has_values) {
      continue;  // reported by where it came from
    }
    const std::uint64_t bytes = definitions.tensors[tensor].bytes;
    auto& [found, instead] = by_process[process];
    add_duplicates(tensor, bytes, pieces, Kept::kFirst, found);
    add_duplicates(tensor, bytes, pieces, Kept::kLast, instead);
  }
  for (auto& [process, both] : by_process) {
    auto& [found, instead] = both;
    found.has_values = known_by == KnownBy::kAny;
    count_evidence(evidence, contents, found);
    if (!found.tensors.empty()) {
      add_finding(evidence, found, instead, findings);
    }
  }
}

void find_duplicates(Evidence& evidence, std::vector<Finding>& findings) {
  tell_duplicates(evidence, BlockContents(evidence.trace.definitions()), KnownBy::kOrigins,
                  findings);
}

}  // namespace tidemark::analyzer
