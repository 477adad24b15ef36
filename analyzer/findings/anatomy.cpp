#include "analyzer/findings/anatomy.hpp"

#include "analyzer/findings/findings.hpp"
#include "analyzer/findings/what_if.hpp"
#include "analyzer/flow/chain.hpp"
#include "analyzer/flow/flow_index.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/model_follower.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/report/report.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tidemark::analyzer {
namespace {

std::uint64_t saving_of(const Finding& finding, const Report& report) {
  return finding.peak_without_bytes ? report.peak.footprint_bytes - *finding.peak_without_bytes : 0;
}

std::vector<Finding> find_all(Evidence& evidence) {
  std::vector<Finding> findings;
  find_growth(evidence, findings);
  find_copies(evidence, findings);
  find_short_lives(evidence, findings);
  find_soon_gone(evidence, findings);
  find_double_writes(evidence, findings);
  find_kept_memory(evidence, findings);
  find_mapped_pages(evidence, findings);
  find_refusals(evidence.report, findings);
  std::ranges::stable_sort(findings, [&](const Finding& a, const Finding& b) {
    return std::tuple(saving_of(a, evidence.report), a.bytes) >
           std::tuple(saving_of(b, evidence.report), b.bytes);
  });
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
    if (finding.peak_without_bytes.value_or(floor.peak_bytes) < floor.peak_bytes) {
      floor.peak_bytes = *finding.peak_without_bytes;
      floor.is_of_finding = true;
    }
  }
  if (evidence.report.model.is_known()) {
    floor.ratio =
        static_cast<double>(floor.peak_bytes) / static_cast<double>(evidence.report.model.bytes);
  }
  return floor;
}

}  // namespace

const char* finding_name(FindingKind kind) {
  switch (kind) {
    case FindingKind::kHeld:
      return "held";
    case FindingKind::kTwice:
      return "twice";
    case FindingKind::kWrittenTwice:
      return "written_twice";
    case FindingKind::kGrown:
      return "grown";
    case FindingKind::kShortLived:
      return "short_lived";
    case FindingKind::kKept:
      return "kept";
    case FindingKind::kMapped:
      return "mapped";
    case FindingKind::kRefused:
      break;
  }
  return "refused";
}

const char* kind_name(ChainNode::Kind kind) {
  switch (kind) {
    case ChainNode::Kind::kFile:
      return "file";
    case ChainNode::Kind::kMapping:
      return "mapping";
    case ChainNode::Kind::kBlocks:
      break;
  }
  return "blocks";
}

const char* kind_name(ChainEdge::Kind kind) {
  switch (kind) {
    case ChainEdge::Kind::kRead:
      return "read";
    case ChainEdge::Kind::kMap:
      return "mmap";
    case ChainEdge::Kind::kCopy:
      break;
  }
  return "copy";
}

std::uint64_t Evidence::worth_saying() const {
  constexpr std::uint64_t kSmallest = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kPart = 20;
  return std::max(kSmallest, report.peak.footprint_bytes / kPart);
}

std::optional<std::uint64_t> Evidence::lower_peak(const Savings& savings) const {
  const std::uint64_t peak_without = what_if.peak_with(savings);
  return peak_without + worth_saying() <= report.peak.footprint_bytes ? std::optional(peak_without)
                                                                      : std::nullopt;
}

std::string blocks_text(std::uint64_t bytes, std::uint64_t blocks, const std::string& place) {
  return fmt::format("{} in {} {} of {}", format_size(bytes), format_count(blocks),
                     blocks == 1 ? "block" : "blocks", place);
}

Anatomy build_anatomy(LoadedTrace& trace, const Report& report, ModelFollower* follower) {
  Anatomy anatomy;
  const ModelFiles files(report, trace.definitions());
  if (files.empty()) {
    find_refusals(report, anatomy.findings);
    return anatomy;
  }
  const bool is_followed =
      follower != nullptr && follower->files().agrees_with(files, report.files);
  ModelFlow totals =
      is_followed ? follower->take(report, files) : follow_model(trace, report, files);
  const FlowIndex flow(totals);
  PlacedChain placed = build_chain(flow, totals, files, report, trace);
  WhatIf what_if(trace);
  Evidence evidence{.trace = trace,
                    .report = report,
                    .totals = totals,
                    .flow = flow,
                    .placed = placed,
                    .what_if = what_if,
                    .peak = trace.ordinal(report.peak.at),
                    .explained = std::vector<bool>(totals.lives.size())};
  anatomy.findings = find_all(evidence);
  anatomy.floor = find_floor(evidence, anatomy.findings);
  anatomy.chain = std::move(placed.chain);
  return anatomy;
}

}  // namespace tidemark::analyzer
