// Duplicates and conversions that the values of blocks tell, whatever file these are from: a copy
// that a loop made, or a conversion whose source is still alive.
//
// `twice`, of a file that is compressed or of an unknown format, or where no file is known to be the
// model: blocks of a process at the peak
// begin with the same values and have the same further inside; or some have them rounded to a
// narrower float, or as float where others have the same whole numbers. What counts:
// - Same bytes: the higher peak of those with the first of each, and with the last.
// - A conversion: the peak without what it was made of, which is the wider ones, unless they are
//   exactly the narrower.
// - Whole numbers and float, of which either may be made of the other: the lower peak of those
//   without the ones and without the others, with the other one said beside it.
// Not told of blocks that were all there before the model was read, nor of values that were written
// over later.

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/tensors/tensor_sets.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Blocks at the peak of one process that hold the same values, by the element type in them; empty:
/// that of the group's oldest.
struct Group {
  std::map<std::string, std::vector<std::uint32_t>> lives;
  std::map<std::string, const trace::Alike*> entries;  ///< The entry of one block each.
};

/// Whether one of the two sides holds whole numbers.
bool is_of_whole(const trace::Alike& alike) {
  return trace::whole_bytes(alike.type) != 0 || trace::whole_bytes(alike.of_type) != 0;
}

bool is_known_form(const trace::Alike& alike) {
  const auto is_known = [](const std::string& type) {
    return trace::float_bytes(type) != 0 || trace::whole_bytes(type) != 0;
  };
  return (alike.type.empty() && alike.of_type.empty()) ||
         (is_known(alike.type) && is_known(alike.of_type) && alike.type != alike.of_type);
}

/// Blocks whose numbers were all there before the model was read hold nothing of it, but a
/// network's initial values.
std::set<trace::AllocationNumber> groups_of_load(const Evidence& evidence) {
  const std::uint64_t since_ns = evidence.values_since_ns();
  std::unordered_map<trace::AllocationNumber, std::uint64_t> born_ns;
  for (const BlockLife& life : evidence.flow.lives()) {
    born_ns.emplace(life.allocation, life.born_ns);
  }
  std::set<trace::AllocationNumber> groups;
  for (const trace::Alike& alike : evidence.trace.definitions().alike) {
    const auto born = born_ns.find(alike.allocation);
    if (born != born_ns.end() && born->second >= since_ns) {
      groups.insert(alike.of);
    }
  }
  return groups;
}

std::vector<Group> groups_at_peak(const Evidence& evidence) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  const std::uint64_t last_ns =
      std::max(evidence.load.peak.at.at_ns, made_at_once_until_ns(evidence.load));
  std::vector<Group> found;
  if (definitions.alike.empty()) {
    return found;
  }
  const auto& lives = evidence.flow.lives();
  std::unordered_map<trace::AllocationNumber, std::uint32_t> standing;
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (lives[i].is_alive_after(evidence.peak) && !lives[i].is_mapping && !evidence.explained[i]) {
      standing.emplace(lives[i].allocation, i);
    }
  }
  const auto of_load = groups_of_load(evidence);
  std::map<std::pair<trace::ProcessId, trace::AllocationNumber>, Group> groups;
  std::set<std::uint32_t> known;
  for (const trace::Alike& alike : definitions.alike) {
    const auto block = standing.find(alike.allocation);
    // What was overwritten later was never meant as a copy.
    if (block != standing.end() && is_known_form(alike) && of_load.contains(alike.of) &&
        alike.from_ns <= last_ns && alike.until_ns == trace::ValueMatch::kNever &&
        known.insert(block->second).second) {
      Group& group = groups[{lives[block->second].process, alike.of}];
      group.lives[alike.type].push_back(block->second);
      group.entries.emplace(alike.type, &alike);
    }
  }
  for (auto& [key, group] : groups) {
    for (auto& [type, blocks] : group.lives) {
      std::ranges::sort(blocks, {}, [&](std::uint32_t life) { return lives[life].born; });
    }
    found.push_back(std::move(group));
  }
  return found;
}

std::uint64_t bytes_of(const Evidence& evidence, const std::vector<std::uint32_t>& lives) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t life : lives) {
    bytes += evidence.flow.size_after(life, evidence.peak - 1);
  }
  return bytes;
}

/// Blocks of two places, of which one could be spared.
struct Both {
  std::vector<std::uint32_t> firsts;
  std::vector<std::uint32_t> others;
  bool is_of_whole = false;  ///< One of the two sides holds whole numbers.
};

/// @param begin of the sentence. @param form in which the others hold the values.
void tell(Evidence& evidence,
          const LowerPeak& without,
          const Both& both,
          const std::string& begin,
          const std::string& form,
          Finding finding,
          std::vector<Finding>& findings) {
  const auto places = asking_places(evidence, {both.firsts, both.others});
  finding.kind = FindingKind::kTwice;
  finding.title = "the same values in memory twice";
  finding.sentence = fmt::format("{} at the peak, by what blocks hold: in {}, and {} in {}.", begin,
                                 blocks_of(both.firsts, places.front().text), form,
                                 blocks_of(both.others, places.back().text));
  add_finding(evidence, without, places.front().stack, std::move(finding), findings);
  evidence.explain(both.firsts);
  evidence.explain(both.others);
}

/// Which of them is needed is not known: the higher peak of those with the first of each, and with
/// the last, counts.
void tell_same(Evidence& evidence,
               const std::vector<Group>& groups,
               std::vector<Finding>& findings) {
  Both both;
  std::vector<std::uint32_t> all_but_last;
  for (const Group& group : groups) {
    for (const auto& [type, lives] : group.lives) {
      if (lives.size() > 1) {
        both.firsts.push_back(lives.front());
        both.others.insert(both.others.end(), lives.begin() + 1, lives.end());
        all_but_last.insert(all_but_last.end(), lives.begin(), lives.end() - 1);
      }
    }
  }
  const std::uint64_t bytes = bytes_of(evidence, both.others);
  if (bytes < evidence.worth_saying()) {
    return;
  }
  const auto with_one =
      higher_of(evidence.peak_without(both.others), evidence.peak_without(all_but_last));
  if (!with_one) {
    return;
  }
  const std::string size = format_size(bytes);
  tell(evidence, *with_one, both,
       both.others.size() == both.firsts.size()
           ? size + " of values are in memory twice"
           : "Some values are in memory more than twice, " + size + " beyond the first time,",
       "again", {.bytes = bytes, .remedy = "With one of them"}, findings);
}

/// If rounding lost nothing, the wider one was made of the narrower.
bool is_made_of_oldest(const trace::Alike& alike) {
  if (is_of_whole(alike)) {
    return true;  // It is unknown which was made of which: see tell_converted.
  }
  const bool is_wider = trace::float_bytes(alike.type) > trace::float_bytes(alike.of_type);
  return is_wider != alike.is_rounded;
}

/// First what was converted, then what was made of it, by the type of the latter; the type of the
/// group's oldest is in the other entry.
std::map<std::string, Both> conversions_of(const Evidence& evidence,
                                           const std::vector<Group>& groups) {
  std::map<std::string, Both> conversions;
  for (const Group& group : groups) {
    const auto as_oldest = group.lives.find("");
    for (const auto& [type, lives] : group.lives) {
      if (type.empty() || as_oldest == group.lives.end()) {
        continue;
      }
      const trace::Alike& alike = *group.entries.at(type);
      const bool is_made = is_made_of_oldest(alike);
      Both& conversion = conversions[is_made ? type : alike.of_type];
      conversion.is_of_whole = conversion.is_of_whole || is_of_whole(alike);
      const auto& sources = is_made ? as_oldest->second : lives;
      const auto& made = is_made ? lives : as_oldest->second;
      const auto is_free = [&](std::uint32_t life) { return !evidence.explained[life]; };
      std::ranges::copy_if(sources, std::back_inserter(conversion.firsts), is_free);
      conversion.others.insert(conversion.others.end(), made.begin(), made.end());
    }
  }
  return conversions;
}

/// Whole numbers and floats: reports what either side takes, and what is left without it. Which one
/// is needed is not known, and they have different sizes: the peak is predicted without the larger
/// one.
void tell_either(Evidence& evidence,
                 const Both& both,
                 const std::string& type,
                 std::vector<Finding>& findings) {
  const std::uint64_t bytes = bytes_of(evidence, both.firsts);
  const std::uint64_t other_bytes = bytes_of(evidence, both.others);
  const auto without = evidence.peak_without(both.firsts);
  const auto without_others = evidence.peak_without(both.others);
  if (std::min(bytes, other_bytes) < evidence.worth_saying() || (!without && !without_others)) {
    return;
  }
  const bool are_firsts = without && (!without_others || without->bytes <= without_others->bytes);
  const auto& less = are_firsts ? without_others : without;
  const auto places = asking_places(evidence, {both.firsts, both.others});
  Finding finding{.kind = FindingKind::kTwice, .title = "the same values in memory twice"};
  finding.sentence = fmt::format(
      "Values are in memory twice at the peak, by what blocks hold: {} in {}, and as {} {} in {}.",
      format_size(bytes), blocks_of(both.firsts, places.front().text), type,
      format_size(other_bytes), blocks_of(both.others, places.back().text));
  if (less) {
    finding.sentence += fmt::format(" Without the {} instead: {}.",
                                    are_firsts ? "latter" : "former", format_size(less->bytes));
  }
  finding.bytes = are_firsts ? bytes : other_bytes;
  finding.remedy = are_firsts ? "Without the former" : "Without the latter";
  add_finding(evidence, are_firsts ? *without : *without_others,
              are_firsts ? places.front().stack : places.back().stack, std::move(finding),
              findings);
  evidence.explain(both.firsts);
  evidence.explain(both.others);
}

void tell_converted(Evidence& evidence,
                    const std::vector<Group>& groups,
                    std::vector<Finding>& findings) {
  for (const auto& [type, conversion] : conversions_of(evidence, groups)) {
    // A float may be made of whole numbers, or they of it. Which was allocated first does not
    // decide it, since the result may be reserved first.
    if (conversion.is_of_whole) {
      tell_either(evidence, conversion, type, findings);
      continue;
    }
    const std::uint64_t bytes = bytes_of(evidence, conversion.firsts);
    const auto without = evidence.peak_without(conversion.firsts);
    if (bytes >= evidence.worth_saying() && without) {
      tell(evidence, *without, conversion, format_size(bytes) + " of values are in memory twice",
           "as " + type, {.bytes = bytes, .remedy = "Converted piece by piece"}, findings);
    }
  }
}

}  // namespace

void find_alike(Evidence& evidence, std::vector<Finding>& findings) {
  const std::vector<Group> groups = groups_at_peak(evidence);
  tell_same(evidence, groups, findings);
  tell_converted(evidence, groups, findings);
}

}  // namespace tidemark::analyzer
