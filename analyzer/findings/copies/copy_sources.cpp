#include "analyzer/findings/copies/copy_sources.hpp"

#include "analyzer/flow/call_ends.hpp"
#include "analyzer/flow/growth.hpp"
#include "analyzer/flow/whereabouts.hpp"
#include "analyzer/query/stack_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace tidemark::analyzer {
namespace {

class SourceCollector {
 public:
  explicit SourceCollector(const Evidence& evidence)
      : evidence_(evidence),
        whereabouts_(evidence.flow, evidence.placed, evidence.peak),
        calls_(evidence.trace.definitions(), evidence.flow),
        is_of_grown_(evidence.flow.lives().size()) {
    for (std::uint32_t life = 0; life < is_of_grown_.size(); ++life) {
      if (is_grown(evidence.flow, life)) {
        const auto blocks = grown_through(evidence.flow, life);
        for (std::size_t i = 1; i < blocks.size(); ++i) {
          is_of_grown_[blocks[i]] = true;
        }
      }
    }
  }

  void see(std::uint32_t life) {
    const FlowIndex& flow = evidence_.flow;
    if (!flow.lives()[life].holds_model() || flow.lives()[life].is_mapping ||
        !flow.is_passed_on(life) || is_of_grown_[life] || is_passed_over(life)) {
      return;
    }
    Sources& sources = by_node_[evidence_.placed.node_of[life]];
    sources.node = evidence_.placed.node_of[life];
    flow.save(life, needed_until(life), sources.had_they_gone);
    flow.save(life, 0, sources.had_they_never_been);
    if (flow.lives()[life].is_alive_after(evidence_.peak)) {
      count_at_peak(life, sources);
    }
  }

  SourcesByNode take() { return std::move(by_node_); }

 private:
  [[nodiscard]] bool is_passed_over(std::uint32_t life) const {
    return evidence_.is_second_look() && evidence_.explained[life];
  }
  /// The ordinal of the last copy by a call that copied bytes out of this block.
  [[nodiscard]] trace::EventOrdinal needed_until(std::uint32_t life) const {
    trace::EventOrdinal last = 0;
    for (const Departure& departure : evidence_.flow.departures(life)) {
      if (evidence_.flow.is_delivery(departure)) {
        last = std::max(last, calls_.last_after(departure).at);
      }
    }
    return last;
  }
  void count_at_peak(std::uint32_t life, Sources& sources) const {
    const std::uint64_t size = evidence_.flow.size_after(life, evidence_.peak - 1);
    sources.bytes += size;
    ++sources.blocks;
    if (const std::uint32_t larger = outgrown_by(evidence_.flow, life);
        larger != BlockLife::kNone) {
      ++sources.outgrown;
      sources.grown_bytes += evidence_.flow.size_after(larger, evidence_.peak - 1);
    }
    std::uint64_t room = size;
    for (const Departure& departure : evidence_.flow.departures(life)) {
      if (!evidence_.flow.is_delivery(departure) || is_passed_over(departure.target)) {
        continue;
      }
      sources.last_ns = std::max(sources.last_ns, departure.last_ns);
      sources.call_end_ns = std::max(sources.call_end_ns, calls_.last_after(departure).at_ns);
      // The copy itself may come a moment later, when its destination is already there.
      const Whereabouts::Place& place = whereabouts_.of(departure.target);
      const std::uint64_t counted =
          std::min(room, static_cast<std::uint64_t>(
                             std::llround(place.share * static_cast<double>(departure.bytes))));
      if (counted > 0) {
        room -= counted;
        sources.doubled += counted;
        sources.relayed += place.node == evidence_.placed.node_of[departure.target] ? 0 : counted;
        sources.targets[place.node] += counted;
      }
    }
  }

  const Evidence& evidence_;
  Whereabouts whereabouts_;
  CallEnds calls_;
  std::vector<bool> is_of_grown_;  ///< Old copies of buffers that grew: see `grown`.
  SourcesByNode by_node_;
};

/// The stacks that asked for the blocks of each node.
std::map<std::size_t, std::set<trace::StackId>> stacks_by_node(const Evidence& evidence) {
  std::map<std::size_t, std::set<trace::StackId>> stacks;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t life = 0; life < lives.size(); ++life) {
    if (lives[life].holds_model()) {
      stacks[evidence.placed.node_of[life]].insert(lives[life].stack);
    }
  }
  return stacks;
}

/// Places that copy into themselves by one and the same stack, as a vector does that copies its
/// elements whenever it grows; with their nodes that were copied on so.
std::map<std::string, std::set<std::size_t>> growing_places(const Evidence& evidence) {
  const Chain& chain = evidence.placed.chain;
  const trace::Session& session = evidence.trace.definitions().session;
  auto stacks = stacks_by_node(evidence);
  std::map<std::string, std::set<std::size_t>> places;
  std::set<std::string> growing;
  for (const ChainEdge& edge : chain.edges) {
    const std::string place = node_text(chain.nodes[edge.from]);
    if (edge.kind != ChainEdge::Kind::kCopy || place != node_text(chain.nodes[edge.to])) {
      continue;
    }
    places[place].insert(edge.from);
    const bool is_by_one_stack = std::ranges::any_of(stacks[edge.from], [&](trace::StackId stack) {
      return stack != trace::kNoStack && !is_unsampled(session, stack) &&
             stacks[edge.to].contains(stack);
    });
    if (is_by_one_stack) {
      growing.insert(place);
    }
  }
  std::erase_if(places, [&](const auto& place) { return !growing.contains(place.first); });
  return places;
}

/// If a place grows, each growth is a node: all of them are one source.
std::vector<Sources> join_generations(const Evidence& evidence, const SourcesByNode& by_node) {
  std::map<std::size_t, std::string> place_of;  // By node.
  for (const auto& [place, nodes] : growing_places(evidence)) {
    for (const std::size_t node : nodes) {
      place_of[node] = place;
    }
  }
  std::map<std::string, std::size_t> known;  // By place, in `joined`.
  std::vector<Sources> joined;
  for (const auto& [node, sources] : by_node) {
    const auto place = place_of.find(node);
    if (place == place_of.end()) {
      joined.push_back(sources);
      continue;
    }
    const auto [first, is_new] = known.try_emplace(place->second, joined.size());
    if (is_new) {
      joined.push_back(sources);
    } else {
      joined[first->second].join(sources);
    }
  }
  return joined;
}

/// If several lines read parts of a model, such as its shards, and copy them to the same blocks,
/// they are one source as well.
std::vector<Sources> join_siblings(const Evidence& evidence, const std::vector<Sources>& all) {
  std::map<std::tuple<trace::Lane, std::uint32_t, std::vector<std::size_t>>, std::size_t> known;
  std::vector<Sources> joined;
  for (const Sources& sources : all) {
    std::vector<std::size_t> targets;
    bool is_own_target = false;
    for (const auto& [target, bytes] : sources.targets) {
      targets.push_back(target);
      is_own_target = is_own_target || sources.has(target);
    }
    const ChainNode& node = evidence.placed.chain.nodes[sources.node];
    const bool may_join = !targets.empty() && !is_own_target;
    const auto first = known.find(std::tuple(node.lane, node.depth, targets));
    if (may_join && first != known.end()) {
      joined[first->second].join(sources);
      continue;
    }
    if (may_join) {
      known.emplace(std::tuple(node.lane, node.depth, std::move(targets)), joined.size());
    }
    joined.push_back(sources);
  }
  return joined;
}

}  // namespace

std::string node_text(const ChainNode& node) {
  return node.caller.empty() ? node.name : node.name + ", called by " + node.caller;
}

bool Sources::take_notably_more() const {
  constexpr std::uint64_t kNotableBytes = std::uint64_t{1} << 20U;
  return bytes >= doubled + std::max(kNotableBytes, bytes / kWorthSayingPart);
}

void Sources::join(const Sources& other) {
  others.insert(other.node);
  bytes += other.bytes;
  blocks += other.blocks;
  outgrown += other.outgrown;
  grown_bytes += other.grown_bytes;
  doubled += other.doubled;
  relayed += other.relayed;
  last_ns = std::max(last_ns, other.last_ns);
  call_end_ns = std::max(call_end_ns, other.call_end_ns);
  for (const auto& [target, copied] : other.targets) {
    targets[target] += copied;
  }
  had_they_gone.add(other.had_they_gone);
  had_they_never_been.add(other.had_they_never_been);
}

SourcesByNode collect_sources(const Evidence& evidence) {
  SourceCollector collector(evidence);
  for (std::uint32_t life = 0; life < evidence.flow.lives().size(); ++life) {
    collector.see(life);
  }
  return collector.take();
}

std::vector<Sources> join_sources(const Evidence& evidence, const SourcesByNode& by_node) {
  return join_siblings(evidence, join_generations(evidence, by_node));
}

}  // namespace tidemark::analyzer
