// Blocks a part of which was copied on, beside the copies: a slice, the tensors of a checkpoint
// that are wanted. The block itself is needed for the rest, so it is the copies that could be
// spared.

#include "analyzer/findings/findings.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Of the blocks of one node.
struct CopiedParts {
  std::set<std::uint32_t> sources{};
  std::uint64_t source_bytes = 0;
  std::set<std::uint32_t> targets{};
  std::uint64_t bytes = 0;                         ///< In the targets.
  std::map<std::size_t, std::uint64_t> by_node{};  ///< Of the targets.
};

bool is_there(const Evidence& evidence, std::uint32_t life) {
  const BlockLife& block = evidence.flow.lives()[life];
  return !block.is_mapping && !evidence.explained[life] && block.is_alive_after(evidence.peak);
}

/// The blocks that hold little else than what was copied into them out of `source`.
void take_copies(const Evidence& evidence, std::uint32_t source, CopiedParts& parts) {
  std::map<std::uint32_t, std::uint64_t> copied;  // By target.
  for (const Departure& departure : evidence.flow.departures(source)) {
    if (evidence.flow.is_delivery(departure) && is_there(evidence, departure.target)) {
      copied[departure.target] += departure.bytes;
    }
  }
  std::uint64_t sum = 0;
  for (const auto& [target, bytes] : copied) {
    const std::uint64_t size = evidence.flow.size_after(target, evidence.peak - 1);
    if (bytes <= size && is_most_of(bytes, size) && parts.targets.insert(target).second) {
      sum += bytes;
      parts.by_node[evidence.placed.node_of[target]] += bytes;
    }
  }
  if (sum != 0) {
    parts.sources.insert(source);
    parts.source_bytes += evidence.flow.size_after(source, evidence.peak - 1);
    parts.bytes += sum;
  }
}

std::string sentence_of(const Evidence& evidence, std::size_t node, const CopiedParts& parts) {
  const auto& nodes = evidence.placed.chain.nodes;
  const auto largest =
      std::ranges::max_element(parts.by_node, {}, [](const auto& one) { return one.second; });
  const std::string others = parts.by_node.size() < 2
                                 ? std::string()
                                 : fmt::format(" and {} other {}", parts.by_node.size() - 1,
                                               parts.by_node.size() == 2 ? "place" : "places");
  return fmt::format(
      "{} of the weights are in memory twice at the peak: as a part of {}, and copied from it in "
      "{} {} of {}{}.",
      format_size(parts.bytes),
      blocks_text(parts.source_bytes, parts.sources.size(), nodes[node].name),
      format_count(parts.targets.size()), parts.targets.size() == 1 ? "block" : "blocks",
      nodes[largest->first].name, others);
}

}  // namespace

void find_copied_parts(Evidence& evidence, std::vector<Finding>& findings) {
  std::map<std::size_t, CopiedParts> by_node;
  for (std::uint32_t life = 0; life < evidence.flow.lives().size(); ++life) {
    if (evidence.flow.lives()[life].holds_model() && is_there(evidence, life) &&
        !evidence.flow.is_passed_on(life)) {
      take_copies(evidence, life, by_node[evidence.placed.node_of[life]]);
    }
  }
  for (const auto& [node, parts] : by_node) {
    Savings savings;
    for (const std::uint32_t target : parts.targets) {
      evidence.flow.save(target, 0, savings);
    }
    const auto without = parts.bytes < evidence.worth_saying() || parts.bytes > parts.source_bytes
                             ? std::nullopt
                             : evidence.lower_peak(savings);
    if (!without) {
      continue;
    }
    Finding finding{.kind = FindingKind::kTwice, .title = "a part of the weights in memory twice"};
    finding.sentence = sentence_of(evidence, node, parts);
    finding.remedy = "Without the copies";
    finding.bytes = parts.bytes;
    finding.nodes.push_back(node);
    add_finding(evidence, *without, evidence.flow.lives()[*parts.sources.begin()].stack,
                std::move(finding), findings);
    for (const std::uint32_t life : parts.sources) {
      evidence.explained[life] = true;
    }
    for (const std::uint32_t life : parts.targets) {
      evidence.explained[life] = true;
    }
  }
}

}  // namespace tidemark::analyzer
