// Tensors whose bytes are in memory more than once, by where in their file the bytes of blocks are.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Bytes of a tensor in a block.
struct Piece {
  std::uint32_t life = 0;
  std::uint64_t bytes = 0;
  std::uint64_t at_ns = 0;
};

/// What one process holds once more than it needs to.
struct Duplicates {
  std::map<std::uint32_t, std::uint64_t> tensors;  ///< Bytes too many, by TensorId.
  std::map<std::uint32_t, std::uint64_t> lives;    ///< The same of each block that has them.
  std::map<std::uint32_t, std::uint64_t> firsts;   ///< What blocks had of these tensors before.
  std::uint64_t bytes = 0;
};

using PiecesByTensor = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Piece>>;

/// Of the blocks at the peak that no finding has named, by process and tensor: also what came into
/// them after it, since they stood there for that.
PiecesByTensor pieces_at_peak(const Evidence& evidence) {
  const BlockContents contents(evidence.trace.definitions());
  PiecesByTensor pieces;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const BlockLife& life = lives[i];
    const std::uint64_t bytes = contents.bytes_in(life.allocation);
    // More than it has room for: a part of it has gone, and which one is not known.
    if (bytes == 0 || bytes > life.size || !life.is_alive_after(evidence.peak) || life.is_mapping ||
        evidence.explained[i]) {
      continue;
    }
    const std::uint32_t process = trace::index(life.process);
    for (const TensorPart& part : contents.parts_of(life.allocation)) {
      pieces[{process, trace::index(part.tensor)}].push_back({i, part.bytes, part.at_ns});
    }
  }
  return pieces;
}

/// What is there beyond the tensor's own bytes came last.
void add_duplicates(std::uint32_t tensor,
                    std::uint64_t tensor_bytes,
                    std::vector<Piece> pieces,
                    Duplicates& found) {
  std::uint64_t held = 0;
  for (const Piece& piece : pieces) {
    held += piece.bytes;
  }
  if (held <= tensor_bytes) {
    return;
  }
  std::ranges::stable_sort(pieces, {}, &Piece::at_ns);
  std::uint64_t missing = tensor_bytes;
  for (const Piece& piece : pieces) {
    const std::uint64_t needed = std::min(missing, piece.bytes);
    missing -= needed;
    if (needed != 0) {
      found.firsts[piece.life] += needed;
    }
    if (const std::uint64_t extra = piece.bytes - needed; extra != 0) {
      found.lives[piece.life] += extra;
      found.tensors[tensor] += extra;
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

/// `1 block of Buffer (context.cpp:19)`, `24 blocks of Empty (ndarray.cpp:71) and other places`.
std::string lives_text(const Evidence& evidence,
                       const std::map<std::uint32_t, std::uint64_t>& lives) {
  const auto largest =
      std::ranges::max_element(lives, {}, [](const auto& life) { return life.second; });
  Places places(evidence.trace.definitions());
  const trace::StackId stack = evidence.flow.lives()[largest->first].stack;
  const bool is_one_place = std::ranges::all_of(lives, [&](const auto& life) {
    return places.of(evidence.flow.lives()[life.first].stack) == places.of(stack);
  });
  return fmt::format("{} {} of {}{}", format_count(lives.size()),
                     lives.size() == 1 ? "block" : "blocks",
                     place_text(named_stack(evidence.trace.definitions(), stack)),
                     is_one_place ? "" : " and other places");
}

void add_finding(Evidence& evidence, const Duplicates& found, std::vector<Finding>& findings) {
  if (found.bytes < evidence.worth_saying()) {
    return;
  }
  Savings savings;
  std::vector<std::uint32_t> mostly;
  for (const auto& [life, bytes] : found.lives) {
    const std::uint64_t size = evidence.flow.size_after(life, evidence.peak - 1);
    const double part = static_cast<double>(bytes) / static_cast<double>(std::max(size, bytes));
    evidence.flow.save_part(life, part, savings);
    if (part > 0.5) {
      mostly.push_back(life);
    }
  }
  const auto without = evidence.lower_peak(savings);
  if (!without) {
    return;
  }
  const auto largest =
      std::ranges::max_element(found.lives, {}, [](const auto& life) { return life.second; });
  Finding finding{.kind = FindingKind::kTwice, .title = "weights in memory twice"};
  const std::string again = lives_text(evidence, found.lives);
  const std::string first = lives_text(evidence, found.firsts);
  finding.sentence = fmt::format(
      "{} of the weights have memory at the peak once more than they need, by where their bytes "
      "were "
      "read or copied from: {}, in {}, and again in {}.",
      format_size(found.bytes), names_text(evidence.trace.definitions(), found), first,
      again == first && found.lives == found.firsts ? "the same" : again);
  finding.bytes = found.bytes;
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames =
      named_stack(evidence.trace.definitions(), evidence.flow.lives()[largest->first].stack);
  finding.peak_without_bytes = without;
  finding.remedy = "With one of them";
  findings.push_back(std::move(finding));
  evidence.explain(mostly);
}

}  // namespace

void find_duplicates(Evidence& evidence, std::vector<Finding>& findings) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  std::map<std::uint32_t, Duplicates> by_process;
  for (auto& [key, pieces] : pieces_at_peak(evidence)) {
    const auto& [process, tensor] = key;
    add_duplicates(tensor, definitions.tensors[tensor].bytes, std::move(pieces),
                   by_process[process]);
  }
  for (const auto& [process, found] : by_process) {
    if (!found.tensors.empty()) {
      add_finding(evidence, found, findings);
    }
  }
}

}  // namespace tidemark::analyzer
