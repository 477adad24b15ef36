// Arrays that were joined into a larger one, and are alive beside it, or beside the block that they
// were taken out of, by what blocks hold: a library that joins or reads them moves small pieces, or
// runs loops of its own, and no copy shows it.
//
// `twice`, joined: a block at the peak was seen to hold all of others that are there, too, one
// behind the other or row by row. Each begins there as the sizes of those before it say, and agrees
// at three more places. The higher peak of the two counts: without the parts, and without what they
// were joined to. Not told of blocks that another finding names, nor if the larger one came before
// the model was read.
//
// `twice`, shifted: the same of arrays that are in a larger block behind other bytes, such as the
// header of a file that was unpacked in memory. If the larger block came before all of them, the
// peak without it counts, as it could be read piece by piece; else the higher of both.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Blocks at the peak of one place, and what they hold of others.
struct JoinedArrays {
  std::vector<std::uint32_t> wholes;
  std::vector<std::uint32_t> parts;
  std::uint64_t bytes = 0;  ///< Bytes of the parts' values.
  bool is_in_rows = false;
  bool is_shifted = false;      ///< Behind something else, such as the header of a file.
  bool is_whole_older = false;  ///< Than some part: that may have been cut out of it.
  bool is_part_older = false;   ///< Than its larger one.

  /// For example by a read of what a file holds.
  [[nodiscard]] bool are_taken_out() const { return is_shifted && !is_part_older; }
};

/// The blocks alive at the peak without a finding so far, by allocation.
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

/// The larger blocks that begin with joined values.
std::set<trace::AllocationNumber> wholes_of_joined(const trace::Definitions& definitions) {
  std::set<trace::AllocationNumber> wholes;
  for (const trace::Joined& joined : definitions.joined) {
    if (joined.begin <= trace::Joined::kMaxHeader) {
      wholes.insert(joined.of);
    }
  }
  return wholes;
}

/// By the place of the larger ones, and whether something else is in front of the values.
std::map<std::pair<std::uint32_t, bool>, JoinedArrays> joined_at_peak(const Evidence& evidence) {
  const auto standing = standing_blocks(evidence);
  const std::uint64_t last_ns =
      std::max(evidence.load.peak.at.at_ns, made_at_once_until_ns(evidence.load));
  const auto& lives = evidence.flow.lives();
  const auto wholes = wholes_of_joined(evidence.trace.definitions());
  std::map<std::pair<std::uint32_t, bool>, JoinedArrays> by_place;
  std::vector<bool> is_known(lives.size());
  for (const trace::Joined& joined : evidence.trace.definitions().joined) {
    const auto whole = standing.find(joined.of);
    const auto part = standing.find(joined.allocation);
    // What was overwritten later was never meant as a copy.
    if (whole == standing.end() || part == standing.end() || is_known[part->second] ||
        lives[whole->second].born_ns < evidence.values_since_ns() || joined.from_ns > last_ns ||
        joined.until_ns != trace::ValueMatch::kNever) {
      continue;
    }
    const bool is_shifted = !wholes.contains(joined.of);
    JoinedArrays& arrays = by_place[{evidence.places->of(lives[whole->second].stack), is_shifted}];
    arrays.is_shifted = is_shifted;
    if (!is_known[whole->second]) {
      arrays.wholes.push_back(whole->second);
    }
    is_known[whole->second] = is_known[part->second] = true;
    arrays.parts.push_back(part->second);
    arrays.bytes += std::min(joined.bytes, lives[part->second].size);
    const bool is_whole_older = lives[whole->second].born_ns < lives[part->second].born_ns;
    (is_whole_older ? arrays.is_whole_older : arrays.is_part_older) = true;
    arrays.is_in_rows = arrays.is_in_rows || joined.rows > 1;
  }
  return by_place;
}

/// How the parts lie in the larger ones.
std::string_view order_of(const JoinedArrays& arrays) {
  if (arrays.is_shifted) {
    return "behind other bytes";
  }
  return arrays.is_in_rows ? "row by row" : "one behind the other";
}

std::string sentence_of(const JoinedArrays& arrays,
                        const std::string& parts_place,
                        const std::string& wholes_place) {
  const std::string_view again = arrays.is_shifted       ? "again"
                                 : arrays.is_whole_older ? "together"
                                                         : "joined";
  return fmt::format(
      "{} of values are in memory twice at the peak, by what blocks hold: in {}, and {}, {}, "
      "in {}. Each of them was compared at four places with where it stands there.",
      format_size(arrays.bytes), blocks_of(arrays.parts, parts_place), again, order_of(arrays),
      blocks_of(arrays.wholes, wholes_place));
}

/// A block that arrays were taken out of could go piece by piece; else it is unknown which of the
/// two is needed.
std::optional<LowerPeak> peak_with_one(const Evidence& evidence, const JoinedArrays& arrays) {
  const auto without_wholes = evidence.peak_without(arrays.wholes);
  return arrays.are_taken_out() ? without_wholes
                                : higher_of(evidence.peak_without(arrays.parts), without_wholes);
}

/// Title, remedy and advice.
Finding words_of(const JoinedArrays& arrays) {
  Finding finding{.kind = FindingKind::kTwice};
  if (arrays.are_taken_out()) {
    finding.title = "arrays beside the block that they were taken out of";
    finding.advice =
        "read or unpack the larger block piece by piece, into the arrays, or use them where they "
        "stand in it";
    return finding;
  }
  finding.remedy = "With one of them";
  if (arrays.is_shifted) {
    finding.title = "arrays beside a block that has them, too";
    finding.advice = "write the arrays out piece by piece";
  } else if (arrays.is_whole_older) {
    finding.title = "arrays beside the one that has all of them";
    finding.advice = "use parts of the larger array where they are";
  } else {
    finding.title = "arrays beside the one that they were joined to";
    finding.advice = "make the array first, and load each part into its place there";
  }
  return finding;
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
    const auto lower = peak_with_one(evidence, arrays);
    if (!lower) {
      continue;
    }
    const auto places = asking_places(evidence, {arrays.parts, arrays.wholes});
    Finding finding = words_of(arrays);
    finding.sentence = sentence_of(arrays, places.front().text, places.back().text);
    finding.bytes = arrays.bytes;
    add_finding(evidence, *lower, places.front().stack, std::move(finding), findings);
    evidence.explain(arrays.parts);
    evidence.explain(arrays.wholes);
  }
}

}  // namespace tidemark::analyzer
