#include "analyzer/findings/weights/widened_findings.hpp"

#include "analyzer/findings/asking_place.hpp"
#include "analyzer/findings/weights/sets_of_load.hpp"
#include "analyzer/findings/weights/tensor_set_text.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/pass/excerpt.hpp"
#include "analyzer/query/stack_sampling.hpp"
#include "analyzer/query/wrapping.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

double file_element_bytes(const TensorSet& set) {
  return static_cast<double>(set.match.tensor_bytes) / static_cast<double>(set.match.elements);
}

bool is_widened(const TensorSet& set) {
  return set.match.rule != SizeRule::kSame &&
         static_cast<double>(set.match.element_bytes) >= kNotableWidth * file_element_bytes(set);
}

/// The peak if each element had the bytes that it has in the file, also in the blocks that a vector
/// grew through.
std::optional<LowerPeak> peak_if_narrow(const Evidence& evidence, const TensorSet& set) {
  Places& places = *evidence.places;
  const std::uint32_t place = places.of(set.stack);
  const bool is_known = !is_unsampled(evidence.trace.definitions().session, set.stack);
  std::vector<bool> is_in_set(evidence.flow.lives().size());
  for (const std::uint32_t life : set.lives) {
    is_in_set[life] = true;
  }
  const double saved = 1 - file_element_bytes(set) / static_cast<double>(set.match.element_bytes);
  Savings savings;
  for (std::uint32_t i = 0; i < is_in_set.size(); ++i) {
    const BlockLife& life = evidence.flow.lives()[i];
    const bool grew_there = is_known && life.growth_steps > 0 && places.of(life.stack) == place;
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
  finding.remedy = fmt::format("With {} bytes an element", narrow_text);
  add_finding(evidence, *narrow, set.stack, std::move(finding), findings);
  return true;
}

/// The same if the files list no tensors: for blocks that they were read into.
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
  finding.remedy = "With the file's bytes";
  add_finding(evidence, *narrow, set.stack, std::move(finding), findings);
  return true;
}

/// Blocks at the peak with the same multiple of what was read into each.
struct ReadAndWidened {
  std::vector<std::uint32_t> lives;
  std::set<std::uint64_t> sizes;
  std::uint64_t bytes = 0;
  std::uint64_t read_bytes = 0;
};

/// By the multiple: large blocks that are touched beyond what was read, as after widening in place.
/// A block with unused space is not.
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
    const std::uint64_t times = life.room() / life.read_bytes;
    const auto seen = touched.find(life.allocation);
    if (times < 2 || life.room() - times * life.read_bytes > kMaxSlack || seen == touched.end() ||
        !is_most_of(seen->second, life.room())) {
      continue;
    }
    ReadAndWidened& group = found[times];
    group.lives.push_back(i);
    group.sizes.insert(life.room());
    group.bytes += life.room();
    group.read_bytes += life.read_bytes;
  }
  return found;
}

/// Needs eight blocks of three sizes, and half of the model: one block may be a coincidence.
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
    finding.remedy = "With the file's bytes";
    add_finding(evidence, *narrow, place.stack, std::move(finding), findings);
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

std::string element_text(double bytes) {
  return std::abs(bytes - std::round(bytes)) < 0.005 ? fmt::format("{:.0f}", bytes)
                                                     : fmt::format("{:.2f}", bytes);
}

void find_widened(Evidence& evidence, const TensorSet& set, std::vector<Finding>& findings) {
  if (is_widened(set) && add_widened(evidence, set, findings)) {
    evidence.explain(set.lives);
  }
}

void find_widened_unlisted(Evidence& evidence, std::vector<Finding>& findings) {
  tell_read_and_widened(evidence, findings);
  find_widened_pieces(evidence, findings);
}

}  // namespace tidemark::analyzer
