// Blocks a part of which was copied on, beside the copies: a slice, or the tensors of a checkpoint
// that are wanted. The block itself is needed for the rest, so it is the copies that could be
// spared.
//
// `twice`: less than all of a block was copied on, into blocks that hold little else (nine tenths
// is from it), and all are alive at the peak. The peak without is the one without the copies.

#include "analyzer/findings/findings.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Copies of parts of the blocks of one node.
struct CopiedParts {
  std::set<std::uint32_t> sources{};
  std::uint64_t source_bytes = 0;
  std::set<std::uint32_t> targets{};
  std::uint64_t bytes = 0;                         ///< In the targets.
  std::map<std::size_t, std::uint64_t> by_node{};  ///< The targets' bytes, by node.
};

class PartCopies {
 public:
  explicit PartCopies(const Evidence& evidence) : evidence_(evidence) {
    for (const trace::Origin& origin : evidence.trace.definitions().origins) {
      known_bytes_[origin.allocation] += origin.bytes;
    }
  }

  /// By node of the chain.
  std::map<std::size_t, CopiedParts> find() {
    std::map<std::size_t, CopiedParts> by_node;
    for (std::uint32_t life = 0; life < evidence_.flow.lives().size(); ++life) {
      if (evidence_.flow.lives()[life].holds_model() && is_there(life) &&
          holds_all_that_came(life) && !evidence_.flow.is_passed_on(life) &&
          !copies_.contains(life)) {
        take_copies(life, by_node[evidence_.placed.node_of[life]]);
      }
    }
    return by_node;
  }

 private:
  [[nodiscard]] bool is_there(std::uint32_t life) const {
    const BlockLife& block = evidence_.flow.lives()[life];
    return !block.is_mapping && !evidence_.explained[life] && block.is_alive_after(evidence_.peak);
  }

  /// If a buffer is read over again, what was copied out of it is nowhere else.
  [[nodiscard]] bool holds_all_that_came(std::uint32_t life) const {
    const std::uint64_t size = evidence_.flow.size_after(life, evidence_.peak - 1);
    return evidence_.flow.arrived(life) <= size + size / 10;
  }

  /// A block may make the peak, and be copied into right after it.
  [[nodiscard]] bool is_by_peak(const Departure& departure) const {
    constexpr std::uint64_t kSoonNs = 100'000'000;
    const std::uint64_t peak_ns = evidence_.load.peak.at.at_ns;
    return departure.first_ns <= peak_ns ||
           evidence_.flow.lives()[departure.target].born_ns + kSoonNs >= peak_ns;
  }

  /// If the same bytes were copied into a block twice, it has them once.
  [[nodiscard]] std::uint64_t held_of(std::uint32_t target, std::uint64_t copied) const {
    const auto known = known_bytes_.find(evidence_.flow.lives()[target].allocation);
    return known == known_bytes_.end() ? copied : std::min(copied, known->second);
  }

  /// Takes the blocks that by the peak hold little else than what was copied into them out of
  /// `source`.
  void take_copies(std::uint32_t source, CopiedParts& parts) {
    std::map<std::uint32_t, std::uint64_t> copied;  // By target.
    for (const Departure& departure : evidence_.flow.departures(source)) {
      if (evidence_.flow.is_delivery(departure) && is_there(departure.target) &&
          is_by_peak(departure)) {
        copied[departure.target] += departure.bytes;
      }
    }
    std::uint64_t sum = 0;
    for (const auto& [target, copied_bytes] : copied) {
      const std::uint64_t bytes = held_of(target, copied_bytes);
      const std::uint64_t size = evidence_.flow.size_after(target, evidence_.peak - 1);
      if (bytes <= size && is_most_of(bytes, size) && copies_.insert(target).second) {
        sum += bytes;
        parts.targets.insert(target);
        parts.by_node[evidence_.placed.node_of[target]] += bytes;
      }
    }
    if (sum != 0) {
      parts.sources.insert(source);
      parts.source_bytes += evidence_.flow.size_after(source, evidence_.peak - 1);
      parts.bytes += sum;
    }
  }

  const Evidence& evidence_;
  /// Bytes of a file, by allocation.
  std::unordered_map<trace::AllocationNumber, std::uint64_t> known_bytes_;
  std::set<std::uint32_t> copies_;  ///< The copies, of all nodes.
};

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
  for (const auto& [node, parts] : PartCopies(evidence).find()) {
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
    finding.advice = "use the part where it lies (a view), or read that part alone";
    finding.bytes = parts.bytes;
    finding.nodes.push_back(node);
    for (const auto& [target, bytes] : parts.by_node) {
      if (target != node) {
        finding.nodes.push_back(target);
      }
    }
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
