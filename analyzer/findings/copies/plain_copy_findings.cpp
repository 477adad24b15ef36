// Blocks that are alive beside their copies at the peak, whatever they hold: a copy is evidence of
// its own if the file came in by small pieces, or loops moved it, so that nothing else is known of
// the block.
//
// `twice`: a block was copied nearly whole into others, by way of temporaries too, no earlier than
// the model was read, and all are alive at the peak.
// - Nearly whole: nine tenths of it, or of what looks since then found in use; half of one that
//   grew; or as much as the model has, to a twentieth.
// - The copies have a tenth of the peak and 1 MiB, or as much as the model; where no file is known
//   to be the model, 16 MiB, and files were read to a quarter of that.
// The sentence says what was copied, not that these are weights.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kMinCopiedBytes = std::uint64_t{1} << 20U;
/// The same of a program that loads no model, as far as is known: it may need both.
constexpr std::uint64_t kMinCopiedWithoutModel = std::uint64_t{16} << 20U;
/// Copies of less than this part of the peak are not reported, unless they are as large as the
/// model.
constexpr std::uint64_t kPeakPart = 10;
/// As large as the model, give or take this part of it.
constexpr std::uint64_t kModelTolerance = 20;

/// Blocks of one place.
struct Blocks {
  std::uint64_t bytes = 0;
  std::set<std::uint32_t> lives{};
  trace::StackId stack = trace::kNoStack;
};

/// Blocks of one place that were copied nearly whole, with the copies that stand beside them.
struct Copied {
  Blocks sources;
  std::uint64_t bytes = 0;                  ///< That were copied.
  std::map<std::uint32_t, Blocks> targets;  ///< By place, with what was copied there.
  Savings had_they_never_been;
};

/// How much of a block is in use, as far as that is known: a stringstream's has unused space.
class Contents {
 public:
  explicit Contents(const Evidence& evidence) : flow_(evidence.flow), peak_(evidence.peak) {
    for (const trace::Look& look : evidence.trace.definitions().looks) {
      looks_[look.allocation].push_back(look);
    }
  }
  [[nodiscard]] std::uint64_t room_of(std::uint32_t life) const {
    return flow_.size_after(life, peak_ - 1);
  }
  /// Whether so many bytes, copied from `copied_ns` on, are nearly all of it. A buffer that grows
  /// by doubling is half full at least.
  [[nodiscard]] bool are_whole(std::uint64_t bytes,
                               std::uint64_t copied_ns,
                               std::uint32_t life) const {
    const BlockLife& block = flow_.lives()[life];
    return is_most_of(bytes, std::min(block.room(), touched(block, copied_ns))) ||
           (block.growth_steps > 0 && bytes >= block.room() / 2);
  }

 private:
  /// By looks at its pages once it was filled; all of it where there was none.
  [[nodiscard]] std::uint64_t touched(const BlockLife& block, std::uint64_t since_ns) const {
    const auto known = looks_.find(block.allocation);
    std::uint64_t most = 0;
    if (known != looks_.end()) {
      for (const trace::Look& look : known->second) {
        most = look.at_ns >= since_ns ? std::max(most, look.bytes) : most;
      }
    }
    return most == 0 ? block.room() : most;
  }

  const FlowIndex& flow_;
  std::uint64_t peak_;
  std::unordered_map<trace::AllocationNumber, std::vector<trace::Look>> looks_;
};

bool is_as_large_as_model(const Evidence& evidence, std::uint64_t bytes) {
  const std::uint64_t model = evidence.load.model.bytes;
  return model != 0 && bytes >= model - model / kModelTolerance &&
         bytes <= model + model / kModelTolerance;
}

std::uint64_t least_worth_saying(const LoadFacts& load) {
  return std::max(load.model.files.empty() ? kMinCopiedWithoutModel : kMinCopiedBytes,
                  load.peak.footprint_bytes / kPeakPart);
}

/// Whether so many bytes may be what files held, packed or not: a program that reads next to
/// nothing makes what it copies, and loads nothing.
bool may_be_of_files(const LoadFacts& load, std::uint64_t bytes) {
  constexpr std::uint64_t kPackedPart = 4;
  std::uint64_t taken = 0;
  for (const FileUse& file : load.files) {
    taken += file.executable ? 0 : file.taken_bytes();
  }
  return taken >= bytes / kPackedPart;
}

bool is_worth_saying(const Evidence& evidence, std::uint64_t bytes) {
  const LoadFacts& load = evidence.load;
  return (bytes >= least_worth_saying(load) &&
          (!load.model.files.empty() || may_be_of_files(load, bytes))) ||
         is_as_large_as_model(evidence, bytes);
}

/// 0 where no model is known.
std::uint64_t model_begun_ns(const LoadFacts& load) {
  return load.model.files.empty() ? 0 : load.files[load.model.files.front()].first_use_ns;
}

/// By source. Not what is named already, nor what was copied before the model was there, nor what a
/// collector moved.
std::map<std::uint32_t, std::vector<PlainCopy>> copies_by_source(const Evidence& evidence) {
  const std::uint64_t begun_ns = model_begun_ns(evidence.load);
  std::map<std::uint32_t, std::vector<PlainCopy>> copies;
  for (const PlainCopy& copy : evidence.totals.plain_copies) {
    const bool is_named = evidence.explained[copy.source] || evidence.explained[copy.target];
    const BlockLife& source = evidence.flow.lives()[copy.source];
    if (!copy.is_growth && !is_named && !source.holds_model() && copy.last_ns >= begun_ns &&
        !evidence.may_be_moved_by_collector(copy.source, copy.target)) {
      copies[copy.source].push_back(copy);
    }
  }
  return copies;
}

/// By the place of the sources.
std::map<std::uint32_t, Copied> copied_blocks(const Evidence& evidence, Places& places) {
  const Contents contents(evidence);
  std::map<std::uint32_t, std::uint64_t> filled;  // By target.
  std::map<std::uint32_t, Copied> by_place;
  for (const auto& [source, copies] : copies_by_source(evidence)) {
    std::map<std::uint32_t, std::uint64_t> counted;  // By target.
    std::uint64_t rest = contents.room_of(source);
    std::uint64_t bytes = 0;
    std::uint64_t first_ns = UINT64_MAX;
    for (const PlainCopy& copy : copies) {
      first_ns = std::min(first_ns, copy.first_ns);
      const std::uint64_t room = contents.room_of(copy.target);
      const std::uint64_t part =
          std::min({copy.bytes, rest, room - std::min(room, filled[copy.target])});
      counted[copy.target] = part;
      rest -= part;
      bytes += part;
    }
    if (!contents.are_whole(bytes, first_ns, source) && !is_as_large_as_model(evidence, bytes)) {
      continue;
    }
    const BlockLife& block = evidence.flow.lives()[source];
    Copied& copied = by_place[places.of(block.stack)];
    copied.sources.bytes += contents.room_of(source);
    copied.sources.lives.insert(source);
    copied.sources.stack = block.stack;
    copied.bytes += bytes;
    evidence.flow.save(source, 0, copied.had_they_never_been);
    for (const auto& [target, part] : counted) {
      if (part == 0) {
        continue;
      }
      filled[target] += part;
      Blocks& blocks = copied.targets[places.of(evidence.flow.lives()[target].stack)];
      blocks.bytes += part;
      blocks.lives.insert(target);
      blocks.stack = evidence.flow.lives()[target].stack;
    }
  }
  return by_place;
}

const Blocks& largest_target(const Copied& copied) {
  const auto largest = std::ranges::max_element(
      copied.targets, {}, [](const auto& target) { return target.second.bytes; });
  return largest->second;
}

/// `1 block of slurp (load.cpp:14)`, `20 blocks of parse (load.cpp:20) and 1 other place`; if both
/// read the same, `another block of the same place`.
std::string targets_text(const Copied& copied,
                         const std::string& source_place,
                         const std::string& largest_place) {
  const std::size_t blocks = largest_target(copied).lives.size();
  const std::size_t others = copied.targets.size() - 1;
  const bool is_same_place = source_place == largest_place;
  const std::string amount =
      blocks == 1 && is_same_place
          ? std::string("another block")
          : fmt::format("{} {}{}", format_count(blocks), is_same_place ? "other " : "",
                        blocks == 1 ? "block" : "blocks");
  return fmt::format("{} of {}{}", amount, is_same_place ? "the same place" : largest_place,
                     others == 0 ? std::string()
                                 : fmt::format(" and {} other {}", format_count(others),
                                               others == 1 ? "place" : "places"));
}

/// `the 128.0 MiB block of slurp (load.cpp:13)`, `the 40.0 MiB in 2 blocks of ...`.
std::string sources_text(const Copied& copied, const std::string& place) {
  return copied.sources.lives.size() == 1
             ? fmt::format("the {} block of {}", format_size(copied.sources.bytes), place)
             : "the " + blocks_text(copied.sources.bytes, copied.sources.lives.size(), place);
}

/// Whether "where the weights went" has other blocks of the same place: it was not seen how the
/// content of these came from the file.
bool is_beside_chain(const Evidence& evidence, const std::string& source_place) {
  return std::ranges::any_of(evidence.placed.chain.nodes, [&](const ChainNode& node) {
    return node.kind == ChainNode::Kind::kBlocks && place_text(node.frames) == source_place;
  });
}

Finding finding_of(const Evidence& evidence, const Copied& copied) {
  const bool is_pair = copied.sources.lives.size() == 1 && copied.targets.size() == 1 &&
                       copied.targets.begin()->second.lives.size() == 1;
  Finding finding{.kind = FindingKind::kTwice,
                  .title = is_as_large_as_model(evidence, copied.bytes)
                               ? "two copies as large as the model"
                               : "blocks beside their copies"};
  const bool is_at_peak = evidence.removed.empty();
  const trace::Definitions& definitions = evidence.trace.definitions();
  const auto places = told_places({named_stack(definitions, copied.sources.stack),
                                   named_stack(definitions, largest_target(copied).stack)});
  const std::string part = part_text(copied.bytes, copied.sources.bytes);
  const bool is_whole_block = copied.sources.lives.size() == 1 && part != format_size(copied.bytes);
  finding.sentence =
      fmt::format("{} of {} {} copied into {}, and {} are alive {}.", part,
                  sources_text(copied, places.front()), is_whole_block ? "was" : "were",
                  targets_text(copied, places.front(), places.back()), is_pair ? "both" : "all",
                  is_at_peak ? "at the peak" : "then");
  if (is_beside_chain(evidence, places.front())) {
    finding.sentence +=
        " How they came from the file was not seen: \"where the weights went\" has only others of "
        "that place.";
  }
  finding.bytes = copied.bytes;
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), copied.sources.stack);
  return finding;
}

}  // namespace

bool may_have_plain_copies(const LoadFacts& load) {
  const std::uint64_t least = least_worth_saying(load);
  return load.copied_bytes >= least && may_be_of_files(load, least);
}

void find_plain_copies(Evidence& evidence, std::vector<Finding>& findings) {
  Places& places = *evidence.places;
  for (const auto& [place, copied] : copied_blocks(evidence, places)) {
    if (!is_worth_saying(evidence, copied.bytes)) {
      continue;
    }
    const auto without = evidence.lower_peak(copied.had_they_never_been);
    if (!without) {
      continue;
    }
    Finding finding = finding_of(evidence, copied);
    without->note(finding);
    findings.push_back(std::move(finding));
    evidence.explain({copied.sources.lives.begin(), copied.sources.lives.end()});
  }
}

}  // namespace tidemark::analyzer
