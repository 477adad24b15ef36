// Arrays that were joined into a larger one, and stand beside it, by what blocks hold: a library
// that joins them moves small pieces, or runs loops of its own, and no copy tells of it.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Blocks at the peak of one place, and what of others they hold.
struct JoinedArrays {
  std::vector<std::uint32_t> wholes;
  std::vector<std::uint32_t> parts;
  std::uint64_t bytes = 0;  ///< Of the parts' values.
  bool is_in_rows = false;
  bool is_whole_older = false;  ///< Than some part: that may have been cut out of it.
};

/// By allocation, the blocks that stand at the peak and of which nothing was said.
std::unordered_map<trace::AllocationNumber, std::uint32_t> standing_blocks(
    const Evidence& evidence) {
  std::unordered_map<trace::AllocationNumber, std::uint32_t> standing;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (lives[i].is_alive_after(evidence.peak) && !lives[i].is_mapping && !evidence.explained[i]) {
      standing.emplace(lives[i].allocation, i);
    }
  }
  return standing;
}

/// Since when what is joined may be of the model; of a program that loads none, from its begin on.
std::uint64_t since_ns(const Evidence& evidence) {
  return evidence.load.model.files.empty() ? 0 : evidence.values_since_ns();
}

/// By the place of the larger ones.
std::map<std::uint32_t, JoinedArrays> joined_at_peak(const Evidence& evidence) {
  const auto standing = standing_blocks(evidence);
  const std::uint64_t last_ns =
      std::max(evidence.load.peak.at.at_ns, made_at_once_until_ns(evidence.load));
  const auto& lives = evidence.flow.lives();
  std::map<std::uint32_t, JoinedArrays> by_place;
  std::vector<bool> is_known(lives.size());
  for (const trace::Joined& joined : evidence.trace.definitions().joined) {
    const auto whole = standing.find(joined.of);
    const auto part = standing.find(joined.allocation);
    // What was overwritten since was never meant as a copy.
    if (whole == standing.end() || part == standing.end() || is_known[part->second] ||
        lives[whole->second].born_ns < since_ns(evidence) || joined.from_ns > last_ns ||
        joined.until_ns != trace::ValueMatch::kNever) {
      continue;
    }
    JoinedArrays& arrays = by_place[evidence.places->of(lives[whole->second].stack)];
    if (!is_known[whole->second]) {
      arrays.wholes.push_back(whole->second);
    }
    is_known[whole->second] = is_known[part->second] = true;
    arrays.parts.push_back(part->second);
    arrays.bytes += std::min(joined.bytes, lives[part->second].size);
    arrays.is_whole_older =
        arrays.is_whole_older || lives[whole->second].born_ns < lives[part->second].born_ns;
    arrays.is_in_rows = arrays.is_in_rows || joined.rows > 1;
  }
  return by_place;
}

std::string sentence_of(const JoinedArrays& arrays,
                        const std::string& parts_place,
                        const std::string& wholes_place) {
  return fmt::format(
      "{} of values are in memory twice at the peak, by what blocks hold: in {}, and {}, {}, "
      "in {}. Each of them was compared at four places with where it stands there.",
      format_size(arrays.bytes), blocks_of(arrays.parts, parts_place),
      arrays.is_whole_older ? "together" : "joined",
      arrays.is_in_rows ? "row by row" : "one behind the other",
      blocks_of(arrays.wholes, wholes_place));
}

}  // namespace

void find_joined_values(Evidence& evidence, std::vector<Finding>& findings) {
  if (evidence.trace.definitions().joined.empty()) {
    return;
  }
  for (const auto& [place, arrays] : joined_at_peak(evidence)) {
    if (arrays.bytes < evidence.worth_saying()) {
      continue;
    }
    const auto lower =
        higher_of(evidence.peak_without(arrays.parts), evidence.peak_without(arrays.wholes));
    if (!lower) {
      continue;
    }
    const auto places = asking_places(evidence, {arrays.parts, arrays.wholes});
    Finding finding{.kind = FindingKind::kTwice,
                    .title = arrays.is_whole_older
                                 ? "arrays beside the one that has all of them"
                                 : "arrays beside the one that they were joined to"};
    finding.sentence = sentence_of(arrays, places.front().text, places.back().text);
    finding.bytes = arrays.bytes;
    finding.remedy = "With one of them";
    finding.advice = arrays.is_whole_older
                         ? "use parts of the larger array where they are"
                         : "make the array first, and load each part into its place there";
    add_finding(evidence, *lower, places.front().stack, std::move(finding), findings);
    evidence.explain(arrays.parts);
    evidence.explain(arrays.wholes);
  }
}

}  // namespace tidemark::analyzer
