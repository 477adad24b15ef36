// A model that is many small blocks: a string, a node, an entry each, which take many times the
// bytes that they have in the file.
//
// `small_blocks`: places that asked for a thousand small heap blocks or more (1 KiB on the average
// at most), a fifth of W in all of these, have 1.5 x W together at the peak.
// - They came since the model was opened, while no other files of an eighth of W together were read
//   or mapped.
// - Larger blocks of the place count as in `parsed`, if a third of its bytes is in small ones.
// The peak without is without them, and with W in their place from when the model was opened. Not
// told of places that another finding names, nor with a W that is a guess, nor with sampled stacks.

#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/unneeded/documents.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/load/reading_progress.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// The part of a place's bytes that has to be in small blocks, for its larger ones to be their
/// tables.
constexpr std::uint64_t kSmallPart = 3;
/// The part of the model that other files may have at most, since the blocks may be made of them.
constexpr std::uint64_t kOtherPart = 8;
/// The part of the model that small blocks must have.
constexpr std::uint64_t kObjectsPart = 5;

/// How much of other files was read or mapped, except programs and libraries.
std::uint64_t other_bytes_between(const LoadFacts& load,
                                  std::uint64_t from_ns,
                                  std::uint64_t to_ns) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < load.files.size(); ++i) {
    if (!load.files[i].executable &&
        std::ranges::find(load.model.files, i) == load.model.files.end()) {
      bytes += load.files[i].bytes_until(to_ns) - load.files[i].bytes_until(from_ns);
    }
  }
  return bytes;
}

/// The place without its larger blocks.
Document small_ones_of(const Document& document) {
  return {.bytes = document.object_bytes,
          .blocks = document.objects,
          .object_bytes = document.object_bytes,
          .objects = document.objects,
          .stacks = document.object_stacks,
          .object_stacks = document.object_stacks};
}

/// All such places together.
struct SmallBlocks {
  Document all{};
  std::vector<Document> places{};  ///< The one with most bytes first.
};

SmallBlocks small_blocks_of(const Evidence& evidence,
                            const Documents& documents,
                            const std::vector<Finding>& findings) {
  SmallBlocks found;
  for (const auto& [place, all] : documents.at_peak()) {
    const auto frames = named_stack(evidence.trace.definitions(), all.stacks.front());
    if (!all.has_objects() || is_told_of(findings, place_text(frames))) {
      continue;
    }
    const bool has_tables = all.object_bytes >= all.bytes / kSmallPart;
    const Document& document = found.places.emplace_back(has_tables ? all : small_ones_of(all));
    found.all.bytes += document.bytes;
    found.all.blocks += document.blocks;
    found.all.object_bytes += document.object_bytes;
    found.all.objects += document.objects;
    found.all.stacks.insert(found.all.stacks.end(), document.stacks.begin(), document.stacks.end());
  }
  std::ranges::stable_sort(found.places, std::ranges::greater{}, &Document::bytes);
  return found;
}

/// The peak without all that these stacks ever asked for, and with the model's bytes since it was
/// opened.
LowerPeak peak_with_file(const Evidence& evidence,
                         const std::vector<trace::StackId>& stacks,
                         std::uint64_t begin_ns) {
  Savings file;
  file.add(evidence.trace.ordinal(evidence.trace.instant_at(begin_ns)),
           -static_cast<std::int64_t>(evidence.load.model.bytes));
  return evidence.peak_without_stacks(stacks, std::make_shared<const Savings>(std::move(file)));
}

/// `: 42 B on the average`, `: 81.5 MiB in 2,000,322 small ones, ..., and 159.1 MiB in 11 larger`.
std::string sizes_text(const Document& all) {
  const std::string average = format_size(all.object_bytes / all.objects) + " on the average";
  const std::uint64_t tables = all.blocks - all.objects;
  if (tables == 0) {
    return fmt::format(": {}, and libc's malloc adds 8 bytes or more to each", average);
  }
  return fmt::format(
      ": {} in {} small ones, {}, to each of which libc's malloc adds 8 bytes or more, and {} in "
      "{} larger {}",
      format_size(all.object_bytes), format_count(all.objects), average,
      format_size(all.bytes - all.object_bytes), format_count(tables),
      tables == 1 ? "one" : "ones");
}

}  // namespace

void find_small_blocks(Evidence& evidence, std::vector<Finding>& findings) {
  const LoadFacts& load = evidence.load;
  const std::uint64_t model = load.model.bytes;
  const std::uint64_t begin_ns = model_first_use_ns(load);
  // A sample does not say which place small blocks belong to.
  if (load.session.sample_bytes != 0 || load.model.is_guess || begin_ns >= load.peak.at.at_ns ||
      load.peak.lanes[trace::Lane::kHeap] < model + model / 2 ||
      other_bytes_between(load, begin_ns, load.peak.at.at_ns) > model / kOtherPart) {
    return;
  }
  const Documents documents(evidence, begin_ns);
  const SmallBlocks small = small_blocks_of(evidence, documents, findings);
  if (small.all.bytes < model + std::max(model / 2, evidence.worth_saying()) ||
      small.all.object_bytes < model / kObjectsPart) {
    return;
  }
  const LowerPeak lower = peak_with_file(evidence, small.all.stacks, begin_ns);
  if (!evidence.is_lower(lower.bytes, small.all.bytes - model)) {
    return;
  }
  for (const Document& document : small.places) {
    evidence.explain(documents.lives_of(document));
  }
  const trace::StackId stack = small.places.front().stacks.front();
  std::string place = place_text(named_stack(evidence.trace.definitions(), stack));
  if (const std::size_t others = small.places.size() - 1; others != 0) {
    place += fmt::format(" and {} other {}", others, others == 1 ? "place" : "places");
  }
  Finding finding{.kind = FindingKind::kSmallBlocks, .title = "a model of small blocks"};
  finding.sentence = fmt::format(
      "{}, {:.1f} bytes for each byte of the model, came since it was first read{}.",
      blocks_text(small.all.bytes, small.all.blocks, place),
      static_cast<double>(small.all.bytes) / static_cast<double>(model), sizes_text(small.all));
  finding.bytes = small.all.bytes;
  finding.stacks = small.all.stacks;
  finding.remedy = fmt::format("With the {} of the file instead", format_size(model));
  add_finding(evidence, lower, stack, std::move(finding), findings);
}

}  // namespace tidemark::analyzer
