// Blocks at the peak that hold what others hold, whatever file it is from: a copy that a loop made,
// or a conversion whose original stayed.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Blocks of one process and form, and the older ones that they are like.
struct Copies {
  std::set<std::uint32_t> originals;
  std::vector<std::uint32_t> lives;
};

/// By process, the type in the copies and that in the originals; both empty: the same bytes.
using CopiesByForm = std::map<std::tuple<trace::ProcessId, std::string, std::string>, Copies>;

bool is_known_form(const trace::Alike& alike) {
  return (alike.type.empty() && alike.of_type.empty()) ||
         (trace::float_bytes(alike.type) != 0 && trace::float_bytes(alike.of_type) != 0 &&
          alike.type != alike.of_type);
}

CopiesByForm copies_at_peak(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  const std::uint64_t last_ns =
      std::max(evidence.load.peak.at.at_ns, made_at_once_until_ns(evidence.load));
  CopiesByForm copies;
  if (definitions.alike.empty()) {
    return copies;
  }
  const auto& lives = evidence.flow.lives();
  std::unordered_map<trace::AllocationNumber, std::uint32_t> standing;
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (lives[i].is_alive_after(evidence.peak) && !lives[i].is_mapping && !evidence.explained[i]) {
      standing.emplace(lives[i].allocation, i);
    }
  }
  std::set<std::uint32_t> told;
  for (const trace::Alike& alike : definitions.alike) {
    const auto copy = standing.find(alike.allocation);
    const auto original = standing.find(alike.of);
    if (copy != standing.end() && original != standing.end() && is_known_form(alike) &&
        alike.from_ns <= last_ns && evidence.high_since_ns() <= alike.until_ns &&
        lives[copy->second].process == lives[original->second].process &&
        told.insert(copy->second).second) {
      Copies& same = copies[{lives[copy->second].process, alike.type, alike.of_type}];
      same.lives.push_back(copy->second);
      same.originals.insert(original->second);
    }
  }
  return copies;
}

std::optional<LowerPeak> peak_without(const Evidence& evidence,
                                      const std::vector<std::uint32_t>& lives) {
  Savings savings;
  for (const std::uint32_t life : lives) {
    evidence.flow.save(life, 0, savings);
  }
  return evidence.lower_peak(savings);
}

std::uint64_t bytes_of(const Evidence& evidence, const std::vector<std::uint32_t>& lives) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t life : lives) {
    bytes += evidence.flow.size_after(life, evidence.peak - 1);
  }
  return bytes;
}

/// A conversion is needed as it is, as far as anybody knows: there the original is what would go.
/// Of the same bytes it may be either, so the higher of both peaks counts.
/// @return whether it is told.
bool tell(const Evidence& evidence,
          const std::string& type,
          const Copies& copies,
          std::vector<Finding>& findings) {
  const std::vector<std::uint32_t> originals(copies.originals.begin(), copies.originals.end());
  const std::uint64_t bytes = bytes_of(evidence, type.empty() ? copies.lives : originals);
  auto without = peak_without(evidence, originals);
  if (type.empty() && without) {
    const auto without_copies = peak_without(evidence, copies.lives);
    without = without_copies && without_copies->bytes > without->bytes ? without_copies : without;
  }
  if (bytes < evidence.worth_saying() || !without) {
    return false;
  }
  const auto places = asking_places(evidence, {originals, copies.lives});
  Finding finding{.kind = FindingKind::kTwice, .title = "the same values in memory twice"};
  finding.sentence = fmt::format(
      "{} of values are in memory twice at the peak, by what blocks hold: in {}, and {} in {}.",
      format_size(bytes), blocks_of(originals, places.front().text),
      type.empty() ? std::string("again") : "as " + type,
      blocks_of(copies.lives, places.back().text));
  finding.bytes = bytes;
  finding.remedy = type.empty() ? "With one of them" : "Had the original gone once converted";
  add_finding(evidence, *without, places.front().stack, std::move(finding), findings);
  return true;
}

}  // namespace

void find_alike(Evidence& evidence, std::vector<Finding>& findings) {
  for (const auto& [form, copies] : copies_at_peak(evidence)) {
    if (tell(evidence, std::get<1>(form), copies, findings)) {
      evidence.explain({copies.originals.begin(), copies.originals.end()});
      evidence.explain(copies.lives);
    }
  }
}

}  // namespace tidemark::analyzer
