#include "analyzer/findings/anatomy.hpp"

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/chain.hpp"
#include "analyzer/flow/flow_index.hpp"
#include "analyzer/flow/following/model_follower.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/load/load_facts.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "analyzer/query/live/what_if.hpp"
#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace tidemark::analyzer {
namespace {

std::uint64_t saving_of(const Finding& finding, const LoadFacts& load) {
  return finding.peak_without_bytes ? load.peak.footprint_bytes - *finding.peak_without_bytes : 0;
}

using Finder = void (*)(Evidence&, std::vector<Finding>&);

/// The order matters: a block that one finder has named is `explained`, and later ones ignore it.
/// Growth comes before copies, as the old blocks of a buffer that moves would look like held ones.
constexpr std::array<Finder, 32> kFinders{
    find_growth,
    find_copies,
    find_read_again,
    find_duplicates,
    find_most_by_values,
    find_packed,
    find_tensors,
    find_others_by_values,
    find_plain_copies,
    find_growth_slack,
    find_moved,
    find_alike,
    find_joined_values,
    find_pieces,
    find_copied_parts,
    find_written_pages,
    find_untouched,
    find_early,
    find_joined,
    find_parsed,
    find_short_lives,
    find_soon_gone,
    find_small_blocks,
    find_processes,
    [](Evidence& evidence, std::vector<Finding>& findings) {
      find_double_writes(evidence, findings);
    },
    [](Evidence& evidence, std::vector<Finding>& findings) {
      find_kept_memory(evidence, findings);
    },
    [](Evidence& evidence, std::vector<Finding>& findings) {
      find_mapped_pages(evidence, findings);
    },
    [](Evidence& evidence, std::vector<Finding>& findings) {
      find_before_load(evidence, findings);
    },
    [](Evidence& evidence, std::vector<Finding>& findings) { find_imported(evidence, findings); },
    [](Evidence& evidence, std::vector<Finding>& findings) {
      find_python_arenas(evidence.trace, evidence.load, findings);
    },
    [](Evidence& evidence, std::vector<Finding>& findings) {
      find_regions(evidence.trace, evidence.load, &evidence, findings);
    },
    [](Evidence& evidence, std::vector<Finding>& findings) {
      find_refusals(evidence.load, findings);
    },
};

/// Two steps of one place can read alike: `Another 16.0 MiB in 1 block of ...`.
void tell_apart(std::vector<Finding>& findings) {
  std::set<std::string> told;
  for (Finding& finding : findings) {
    if (!told.insert(finding.sentence).second) {
      constexpr std::string_view kThe = "The ";
      finding.sentence.replace(0, finding.sentence.starts_with(kThe) ? kThe.size() : 0, "Another ");
    }
  }
}

/// Each finding about copies made one from the other is about two of them; its title says how many
/// there are.
void count_copies(std::vector<Finding>& findings) {
  constexpr std::string_view kTwo = "two copies";
  constexpr std::array kWords{"three", "four", "five", "six"};
  for (Finding& finding : findings) {
    if (finding.copies > 2 && finding.title.starts_with(kTwo)) {
      const std::size_t number = finding.copies - 3;
      finding.title.replace(
          0, kTwo.size(),
          (number < kWords.size() ? std::string(kWords.at(number)) : format_count(finding.copies)) +
              " copies");
    }
  }
}

/// Puts first what lowers the peak most, and makes all texts distinct.
void put_in_order(const LoadFacts& load, std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, [&load](const Finding& a, const Finding& b) {
    return std::tuple(saving_of(a, load), a.bytes) > std::tuple(saving_of(b, load), b.bytes);
  });
  tell_apart(findings);
}

/// Bytes of the peak that go with a finding.
std::uint64_t taken_at_peak(const Evidence& evidence, const Finding& finding) {
  // Only a part of a block may go, for example if its elements are wide.
  if (finding.stacks.empty()) {
    return std::min(finding.bytes, finding.savings->bytes_after(evidence.peak));
  }
  const std::uint64_t put =
      finding.savings == nullptr ? 0 : finding.savings->spent_after(evidence.peak);
  return finding.bytes - std::min(finding.bytes, put);
}

/// Whether the peak that is left without a finding comes before the current one.
bool is_left_earlier(const Evidence& evidence, const Finding& finding) {
  return finding.left_at_ns
             ? *finding.left_at_ns < evidence.load.peak.at.at_ns
             : evidence.is_left_earlier(*finding.savings, *finding.peak_without_bytes);
}

/// If the peak falls by less than the bytes of a finding, because a lower one at another time is
/// the highest then, the sentence says so.
void tell_other_peaks(const Evidence& evidence, std::vector<Finding>& findings) {
  constexpr std::uint64_t kNotableBytes = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kLeftPart = 100;
  const std::uint64_t peak = evidence.load.peak.footprint_bytes;
  for (Finding& finding : findings) {
    if (!finding.peak_without_bytes || !finding.can_be_removed() || finding.before != nullptr) {
      continue;
    }
    const std::uint64_t taken = taken_at_peak(evidence, finding);
    const std::uint64_t notable =
        std::min(taken / kWorthSayingPart, *finding.peak_without_bytes / kLeftPart);
    if (*finding.peak_without_bytes + taken >= peak + std::max(kNotableBytes, notable)) {
      finding.remedy += is_left_earlier(evidence, finding) ? ", an earlier peak is left"
                                                           : ", a later peak is left";
    }
  }
}

/// A finding may also be about blocks that stay: of two copies, one is needed.
void name_what_goes(const Evidence& evidence, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const trace::StackId stack = finding.savings == nullptr
                                     ? trace::kNoStack
                                     : finding.savings->main_stack_after(evidence.peak);
    if (stack != trace::kNoStack) {
      finding.taken_frames = named_stack(evidence.trace.definitions(), stack);
    }
  }
}

std::vector<Finding> find_all(Evidence& evidence) {
  std::vector<Finding> findings;
  for (const Finder find : kFinders) {
    find(evidence, findings);
  }
  put_in_order(evidence.load, findings);
  return findings;
}

std::optional<Floor> find_floor(const Evidence& evidence, const std::vector<Finding>& findings) {
  Savings savings;
  for (std::uint32_t life = 0; life < evidence.flow.lives().size(); ++life) {
    if (evidence.flow.delivered(life) > 0) {
      evidence.flow.save_delivered(life, savings);
    }
  }
  if (savings.empty() || !evidence.totals.is_complete()) {
    return std::nullopt;
  }
  Floor floor{.peak_bytes = evidence.what_if.peak_with(savings)};
  // Blocks that were never needed may have been at the peak before anything was copied out of them.
  for (const Finding& finding : findings) {
    for (const auto& lower : {finding.peak_without_bytes, finding.peak_with_one_bytes}) {
      floor.peak_bytes = std::min(floor.peak_bytes, lower.value_or(floor.peak_bytes));
    }
  }
  if (evidence.load.model.is_known()) {
    floor.ratio =
        static_cast<double>(floor.peak_bytes) / static_cast<double>(evidence.load.model.bytes);
  }
  return floor;
}

/// The part of the peak that findings account for without a lower peak: what was there before the
/// load, and what was imported since; Python's arenas and the regions of others, which may be part
/// of both.
/// @param before what was there before the load.
std::uint64_t accounted_bytes(const LoadFacts& load,
                              const std::vector<Finding>& findings,
                              std::uint64_t before) {
  std::uint64_t regions = 0;
  std::uint64_t beside = before;
  for (const Finding& finding : findings) {
    if (finding.kind == FindingKind::kPythonArenas || finding.kind == FindingKind::kRegions) {
      regions += finding.bytes;
    } else if (finding.kind == FindingKind::kImported) {
      beside += finding.bytes;
    }
  }
  return std::min(std::max(regions, beside), load.peak.footprint_bytes);
}

/// The lowest peak of those that the findings foretell.
std::uint64_t lowest_foretold(const LoadFacts& load, const std::vector<Finding>& findings) {
  std::uint64_t lowest = load.peak.footprint_bytes;
  for (const Finding& finding : findings) {
    for (const auto& lower : {finding.peak_without_bytes, finding.peak_with_one_bytes}) {
      lowest = std::min(lowest, lower.value_or(lowest));
    }
  }
  return lowest;
}

/// The same without everything that they name.
std::uint64_t peak_without_all(LoadedTrace& trace,
                               const LoadFacts& load,
                               const std::vector<Finding>& findings) {
  Removal removal;
  std::size_t removed = 0;
  for (const Finding& finding : findings) {
    finding.remove_in(removal);
    if (finding.can_be_removed()) {
      ++removed;
    }
  }
  const std::uint64_t lowest = lowest_foretold(load, findings);
  return removed < 2 ? lowest
                     : std::min(lowest, LoadWithout(trace, removal).peak().lanes.footprint());
}

/// Whether a peak of `lower` bytes still has most of what is above the weights.
bool leaves_most_open(const LoadFacts& load, std::uint64_t accounted, std::uint64_t lower) {
  const std::uint64_t needed = load.model.bytes + accounted;
  const auto beyond = [needed](std::uint64_t bytes) { return bytes - std::min(bytes, needed); };
  return load.is_well_above_model(lower - std::min(lower, accounted)) &&
         beyond(lower) > beyond(load.peak.footprint_bytes) / 2;
}

/// Takes several findings together only if none of them alone leads near the weights: that costs
/// one more pass over the events.
void take_together(LoadedTrace& trace,
                   const LoadFacts& load,
                   Places& asking,
                   const FlowIndex* flow,
                   Anatomy& anatomy) {
  const std::uint64_t lowest = lowest_foretold(load, anatomy.findings);
  if (!load.is_well_above_model(lowest) || load.peak.footprint_bytes == 0) {
    return;
  }
  const std::uint64_t without_all = peak_without_all(trace, load, anatomy.findings);
  if (without_all + load.peak.footprint_bytes / kWorthSayingPart <= lowest) {
    anatomy.peak_without_all_bytes = without_all;
  }
  const std::uint64_t before = load.before_load ? load.before_load->at_peak_bytes : 0;
  // What the peak is about may have been there before a file that only its size suggests as the
  // model.
  const std::uint64_t accounted =
      accounted_bytes(load, anatomy.findings, load.model.is_guess ? 0 : before);
  if (!load.model.is_known() || !leaves_most_open(load, accounted, lowest)) {
    return;
  }
  anatomy.is_unexplained = leaves_most_open(load, accounted, without_all);
  if (anatomy.is_unexplained) {
    anatomy.explained = {load.peak.footprint_bytes - without_all,
                         accounted_bytes(load, anatomy.findings, before)};
    anatomy.groups = largest_groups(trace, load, asking, flow);
  }
}

/// Whether much of the peak was never touched: many programs reserve a little more than they use.
bool is_much_untouched(const LoadFacts& load) {
  constexpr std::uint64_t kMuchPart = 10;
  constexpr std::uint64_t kMuchBytes = std::uint64_t{16} << 20U;
  return load.never_resident_bytes() >= std::max(kMuchBytes, load.peak.footprint_bytes / kMuchPart);
}

/// Finds what needs no model, in a program that loads none. Its large blocks are followed only if
/// there may be something to report: that costs one more pass over the events.
void find_without_model(LoadedTrace& trace,
                        const LoadFacts& load,
                        const ModelFiles& none,
                        std::vector<Finding>& findings) {
  const bool is_untouched = is_much_untouched(load);
  const bool is_joined = may_have_joined(trace, load);
  const bool has_values = !trace.definitions().joined.empty() || !trace.definitions().alike.empty();
  if (!is_untouched && !is_joined && !has_values && !may_have_plain_copies(load)) {
    return;
  }
  ModelFlow totals = follow_model(trace, load, none);
  const FlowIndex flow(totals);
  const PlacedChain no_chain;
  WhatIf what_if(trace);
  Evidence evidence = evidence_of(trace, load, totals, flow, no_chain, what_if);
  find_plain_copies(evidence, findings);
  find_alike(evidence, findings);
  find_joined_values(evidence, findings);
  if (is_untouched) {
    find_untouched(evidence, findings);
  }
  if (is_joined) {
    find_joined(evidence, findings);
  }
  tell_other_peaks(evidence, findings);
  name_what_goes(evidence, findings);
  put_in_order(load, findings);
}

}  // namespace

Anatomy build_anatomy(LoadedTrace& trace, const LoadFacts& load, ModelFollower* follower) {
  Anatomy anatomy;
  const ModelFiles files(load, trace.definitions());
  if (files.empty()) {
    find_without_model(trace, load, files, anatomy.findings);
    find_python_arenas(trace, load, anatomy.findings);
    find_regions(trace, load, nullptr, anatomy.findings);
    find_refusals(load, anatomy.findings);
    Places asking(trace.definitions());
    take_together(trace, load, asking, nullptr, anatomy);
    return anatomy;
  }
  const bool is_followed = follower != nullptr && follower->files().agrees_with(files, load.files);
  ModelFlow totals = is_followed ? follower->take(load, files) : follow_model(trace, load, files);
  const FlowIndex flow(totals);
  PlacedChain placed = build_chain(flow, totals, files, load, trace);
  WhatIf what_if(trace);
  Evidence evidence = evidence_of(trace, load, totals, flow, placed, what_if);
  anatomy.findings = find_all(evidence);
  if (load.is_well_above_model(lowest_foretold(load, anatomy.findings))) {
    find_copies_behind(trace, load, files, anatomy.findings);
  }
  if (load.is_well_above_model(lowest_foretold(load, anatomy.findings))) {
    find_copies_in_turn(evidence, files, anatomy.findings);
  }
  count_copies(anatomy.findings);
  tell_other_peaks(evidence, anatomy.findings);
  name_what_goes(evidence, anatomy.findings);
  anatomy.floor = find_floor(evidence, anatomy.findings);
  take_together(trace, load, *evidence.places, &flow, anatomy);
  anatomy.chain = std::move(placed.chain);
  anatomy.sized = std::move(evidence.sized);
  return anatomy;
}

}  // namespace tidemark::analyzer
