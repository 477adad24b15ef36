// Blocks whose bytes were copied on, and which are alive at the peak all the same.
//
// `held`: nine tenths of what came into the blocks was copied on, and the peak is lower if they are
// given back after their last copy, or, where a call from Python copied the bytes on itself, after
// its last copy of them (CallEnds): its caller can free nothing earlier. Where never having them
// lowers it further, `twice` is told of the same blocks, too.
//
// `twice`: such blocks are alive at the peak together with the blocks that were copied from them,
// by way of temporaries too.
// - One set: blocks that one stack copies from its own, as a vector its elements whenever it grows;
//   and blocks of several places, equally far from the file, that were copied into the same places.
// - If another peak is left without the copies, the largest pair at that one is told, too.
// - If several such copies were made one from the other, each finding (`held` too) also has the
//   peak with the last of them alone: `copies`, `peak_with_one_bytes` in JSON. If the next copy in
//   turn makes a peak as high, so that none of them alone lowers it, all are taken away together.
//
// `grown`, after one step or two: the old block is beside the new one, half as large again or more,
// that the same stack asked for, and was freed before the new one was read into or copied on
// (outgrown_by).

#include "analyzer/findings/copies/copy_sources.hpp"
#include "analyzer/findings/findings.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// The blocks of a source; if several lines read the parts of a model: `Load (load.cpp:8) and 3
/// other places`.
std::string places_text(const Evidence& evidence, const Sources& sources, std::string first) {
  std::set<std::string> places{node_text(evidence.placed.chain.nodes[sources.node])};
  for (const std::size_t node : sources.others) {
    places.insert(node_text(evidence.placed.chain.nodes[node]));
  }
  const std::size_t others = places.size() - 1;
  return others == 0 ? first
                     : fmt::format("{} and {} other {}", first, format_count(others),
                                   others == 1 ? "place" : "places");
}

/// The number of places with at least a tenth of the copies, beside the largest.
std::string other_targets(const Evidence& evidence, const Sources& sources) {
  std::map<std::string, std::uint64_t> by_place;
  for (const auto& [node, bytes] : sources.targets) {
    by_place[node_text(evidence.placed.chain.nodes[node])] += bytes;
  }
  const auto places = std::ranges::count_if(
      by_place, [&](const auto& place) { return place.second >= sources.doubled / 10; });
  return places < 2 ? std::string()
                    : fmt::format(" and {} other {}", places - 1, places == 2 ? "place" : "places");
}

const ChainNode& largest_target(const Evidence& evidence, const Sources& sources) {
  const auto largest = std::ranges::max_element(sources.targets, {},
                                                [](const auto& target) { return target.second; });
  return evidence.placed.chain.nodes[largest->first];
}

/// `in 8 blocks of Empty (ndarray.cpp:71) and, copied from them, in blocks of Init (init.cpp:12)`;
/// with what they take where that is notably more: `among the 48.0 MiB in 3 blocks of ...`.
std::string pair_text(const Evidence& evidence, const Sources& sources) {
  const ChainNode& source = evidence.placed.chain.nodes[sources.node];
  const ChainNode& target = largest_target(evidence, sources);
  const bool is_same_place = source.name == target.name;
  const std::string places =
      places_text(evidence, sources, is_same_place ? node_text(source) : source.name);
  const char* const blocks = target.blocks == 1 ? "1 block" : "blocks";
  const char* const others = target.blocks == 1 ? "another block" : "other blocks";
  return fmt::format(
      "{}in {} {} of {}{} and, copied from {}{}, in {} of {}",
      sources.take_notably_more() ? fmt::format("among the {} ", format_size(sources.bytes)) : "",
      format_count(sources.blocks), sources.blocks == 1 ? "block" : "blocks", places,
      places != source.name ? "," : "", sources.blocks == 1 ? "it" : "them",
      sources.relayed > sources.doubled / 2 ? " by way of others" : "",
      is_same_place ? others : blocks, is_same_place ? "the same place" : target.name);
}

/// @param is_told_again a finding that says they are there twice takes more away.
Finding held(const Evidence& evidence, const Sources& sources, bool is_told_again) {
  const ChainNode& node = evidence.placed.chain.nodes[sources.node];
  const std::uint64_t peak_ns = evidence.load.peak.at.at_ns;
  Finding finding{.kind = FindingKind::kHeld, .title = "lingering after its last copy"};
  finding.sentence = fmt::format(
      "{}{} {} copied on by {}{} and still alive at the peak, {} later.",
      is_told_again ? "The same " : "",
      blocks_text(sources.bytes, sources.blocks, places_text(evidence, sources, node_text(node))),
      sources.blocks == 1 ? "was" : "were", format_time(sources.last_ns),
      sources.call_end_ns == sources.last_ns
          ? std::string()
          : fmt::format(", in a call that made its last copy of them at {},",
                        format_time(sources.call_end_ns)),
      format_time(peak_ns - sources.call_end_ns));
  finding.bytes = sources.bytes;
  if (is_told_again) {
    finding.remedy = "Freed then";
  }
  return finding;
}

Finding twice(const Evidence& evidence, const Sources& sources) {
  const bool is_whole = is_most_of(sources.doubled, evidence.load.model.bytes);
  Finding finding{.kind = FindingKind::kTwice};
  finding.title = is_whole ? "two copies of the weights" : "weights in memory twice";
  // What a buffer has left is copied to the next one, and on with what came there.
  const std::string amount =
      sources.doubled > evidence.load.model.bytes
          ? fmt::format("Some of the weights are in memory more than twice at the peak: {}",
                        format_size(sources.doubled))
          : fmt::format("{} of the weights are in memory twice at the peak:",
                        format_size(sources.doubled));
  finding.sentence = fmt::format("{} {}{}.", amount, pair_text(evidence, sources),
                                 other_targets(evidence, sources));
  finding.bytes = sources.take_notably_more() ? sources.bytes : sources.doubled;
  return finding;
}

/// The old block of a container that grew by too few steps for `find_growth`.
Finding outgrown(const Evidence& evidence, const Sources& sources) {
  const bool is_one = sources.blocks == 1;
  Finding finding{.kind = FindingKind::kGrown};
  finding.title =
      is_one ? "the old block of a buffer that grows" : "the old blocks of buffers that grow";
  finding.sentence = fmt::format("{} {}, beside the new {} of {}, into which {} copied.",
                                 blocks_text(sources.bytes, sources.blocks,
                                             node_text(evidence.placed.chain.nodes[sources.node])),
                                 is_one ? "is the old block of a buffer that grows"
                                        : "are the old blocks of buffers that grow",
                                 is_one ? "one" : "ones", format_size(sources.grown_bytes),
                                 is_one ? "it is" : "they are");
  finding.bytes = sources.bytes;
  return finding;
}

void add(const Evidence& evidence,
         const Sources& sources,
         Finding finding,
         const LowerPeak& lower,
         std::vector<Finding>& findings) {
  lower.note(finding);
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames = evidence.placed.chain.nodes[sources.node].frames;
  finding.nodes.push_back(sources.node);
  finding.nodes.insert(finding.nodes.end(), sources.others.begin(), sources.others.end());
  for (const auto& [node, bytes] : sources.targets) {
    if (!sources.has(node)) {
      finding.nodes.push_back(node);
    }
  }
  findings.push_back(std::move(finding));
}

/// Sources each of which was copied on to another one of them, or from it.
using SourceGroup = std::vector<const Sources*>;

bool are_of_one_way(const Sources& one, const Sources& other) {
  const auto goes_to = [](const Sources& from, const Sources& to) {
    return std::ranges::any_of(from.targets,
                               [&](const auto& target) { return to.has(target.first); });
  };
  return goes_to(one, other) || goes_to(other, one);
}

/// Groups of sources that have a notable part of their bytes in copies at the peak.
std::vector<SourceGroup> groups_of(const Evidence& evidence, const SourceGroup& sources) {
  std::vector<SourceGroup> groups;
  for (const Sources* source : sources) {
    if (source->doubled < evidence.worth_saying()) {
      continue;
    }
    SourceGroup joined{source};
    std::erase_if(groups, [&](const SourceGroup& known) {
      const bool is_joined = std::ranges::any_of(
          known, [&](const Sources* other) { return are_of_one_way(*source, *other); });
      if (is_joined) {
        joined.insert(joined.begin(), known.begin(), known.end());
      }
      return is_joined;
    });
    groups.push_back(std::move(joined));
  }
  return groups;
}

/// If several copies lead to the last one, each finding says what it costs, and also what all cost.
void tell_all_but_one(const Evidence& evidence,
                      const SourceGroup& group,
                      std::vector<Finding>& findings) {
  std::set<std::size_t> nodes;
  Savings savings;
  for (const Sources* source : group) {
    nodes.insert(source->node);
    nodes.insert(source->others.begin(), source->others.end());
    savings.add(source->had_they_never_been);
  }
  // The nodes of a chain stand in its order: the last one's copies are those that stay.
  const auto last = std::ranges::max_element(group, {}, &Sources::node);
  const ChainNode& kept = largest_target(evidence, **last);
  const bool is_kept = std::ranges::none_of(
      nodes, [&](std::size_t node) { return &evidence.placed.chain.nodes[node] == &kept; });
  const auto with_one = evidence.lower_peak(savings);
  if (group.size() < 2 || !is_kept || !with_one) {
    return;
  }
  for (Finding& finding : findings) {
    if (!finding.nodes.empty() && nodes.contains(finding.nodes.front())) {
      finding.copies = group.size() + 1;
      finding.peak_with_one_bytes = with_one->bytes;
    }
  }
}

/// The largest pair at the peak that is left without these copies, in words: `, of 256.0 MiB in 1
/// block of ... and, copied from it, in ...`; empty where there is none.
std::string pair_left(const Evidence& evidence,
                      const std::vector<std::uint32_t>& copies,
                      const Savings& savings) {
  Evidence then = evidence;
  then.removed.savings.push_back(std::make_shared<const Savings>(savings));
  then.peak = evidence.trace.ordinal(LoadWithout(evidence.trace, then.removed).peak().at);
  then.explained.assign(evidence.explained.size(), false);
  then.explain(copies);
  const auto sources = join_sources(then, collect_sources(then));
  const auto largest = std::ranges::max_element(sources, {}, &Sources::doubled);
  return largest == sources.end() || largest->doubled < evidence.worth_saying()
             ? std::string()
             : fmt::format(", of {} {}", format_size(largest->doubled), pair_text(then, *largest));
}

/// Which of the two goes makes a difference where the original was a copy itself, and what that was
/// made of had stood beside it at another time: without the copies such a peak is left.
void tell_without_copies(const Evidence& evidence,
                         const Sources& sources,
                         std::uint64_t without_bytes,
                         Finding& finding) {
  if (evidence.is_second_look()) {
    return;
  }
  Savings savings;
  std::vector<std::uint32_t> copies;
  for (std::uint32_t life = 0; life < evidence.flow.lives().size(); ++life) {
    const std::size_t node = evidence.placed.node_of[life];
    if (evidence.flow.lives()[life].holds_model() && sources.targets.contains(node) &&
        !sources.has(node)) {
      evidence.flow.save(life, 0, savings);
      copies.push_back(life);
    }
  }
  const std::uint64_t peak = evidence.load.peak.footprint_bytes;
  const std::uint64_t saved = savings.bytes_after(evidence.peak);
  if (saved < sources.doubled) {
    return;
  }
  const std::uint64_t left = evidence.what_if.peak_with(savings);
  const bool is_another = left >= peak - std::min(peak, saved) + evidence.worth_saying();
  if (is_another && left >= without_bytes + evidence.worth_saying()) {
    finding.sentence +=
        fmt::format(" Without the copies instead, {} peak of {} is left{}.",
                    evidence.is_left_earlier(savings, left) ? "an earlier" : "a later",
                    format_size(left), pair_left(evidence, copies, savings));
    finding.remedy = sources.blocks == 1 ? "Without the original" : "Without the originals";
  }
}

/// @return whether there is anything to say about them.
bool judge(const Evidence& evidence, const Sources& sources, std::vector<Finding>& findings) {
  if (sources.bytes < evidence.worth_saying()) {
    return false;
  }
  const auto in_time = evidence.lower_peak(sources.had_they_gone);
  const auto without = evidence.lower_peak(sources.had_they_never_been);
  const bool was_held = in_time && sources.call_end_ns < evidence.load.peak.at.at_ns;
  // If giving the blocks back in time does as well as never having them, they were only held.
  const bool is_twice = without && sources.doubled >= evidence.worth_saying() &&
                        (!was_held || without->bytes + evidence.worth_saying() <= in_time->bytes);
  if (was_held) {
    add(evidence, sources, held(evidence, sources, is_twice), *in_time, findings);
  }
  if (is_twice && sources.are_outgrown()) {
    add(evidence, sources, outgrown(evidence, sources), *without, findings);
  } else if (is_twice) {
    Finding finding = twice(evidence, sources);
    tell_without_copies(evidence, sources, without->bytes, finding);
    add(evidence, sources, std::move(finding), *without, findings);
  }
  return was_held || is_twice;
}

/// Nodes that the bytes of `node` went to and were copied on from in turn.
std::set<std::size_t> copied_on_after(const Evidence& evidence,
                                      const SourcesByNode& all,
                                      std::size_t node) {
  std::set<std::size_t> found;
  std::vector<std::size_t> open{node};
  while (!open.empty()) {
    const std::size_t from = open.back();
    open.pop_back();
    for (const ChainEdge& edge : evidence.placed.chain.edges) {
      if (edge.from == from && edge.kind == ChainEdge::Kind::kCopy && edge.to != node &&
          all.contains(edge.to) && found.insert(edge.to).second) {
        open.push_back(edge.to);
      }
    }
  }
  return found;
}

/// For a copy without which the next copy in turn makes a peak as high: takes all of them together.
/// @return whether there is anything to say about them.
bool judge_in_turn(const Evidence& evidence,
                   const SourcesByNode& all,
                   const Sources& sources,
                   std::vector<Finding>& findings) {
  const auto later = copied_on_after(evidence, all, sources.node);
  if (sources.doubled < evidence.worth_saying() || later.empty()) {
    return false;
  }
  Savings savings = sources.had_they_never_been;
  for (const std::size_t node : later) {
    if (!sources.has(node)) {
      savings.add(all.at(node).had_they_never_been);
    }
  }
  const auto without = evidence.lower_peak(savings);
  if (!without) {
    return false;
  }
  Finding finding = twice(evidence, sources);
  finding.sentence += " The next copy in turn makes a peak as high.";
  finding.remedy = "Without these and what was copied on after them";
  add(evidence, sources, std::move(finding), *without, findings);
  return true;
}

}  // namespace

void find_copies(Evidence& evidence, std::vector<Finding>& findings) {
  const SourcesByNode by_node = collect_sources(evidence);
  const std::vector<Sources> all = join_sources(evidence, by_node);
  SourceGroup told;
  for (const Sources& sources : all) {
    const bool is_told = judge(evidence, sources, findings);
    if (is_told) {
      told.push_back(&sources);
    }
    if (is_told ||
        (!evidence.is_second_look() && judge_in_turn(evidence, by_node, sources, findings))) {
      for (std::uint32_t life = 0; life < evidence.flow.lives().size(); ++life) {
        if (sources.has(evidence.placed.node_of[life])) {
          evidence.explained[life] = true;
        }
      }
    }
  }
  if (evidence.is_in_turn) {
    return;  // None of them alone lowers the peak.
  }
  for (const SourceGroup& group : groups_of(evidence, told)) {
    tell_all_but_one(evidence, group, findings);
  }
}

}  // namespace tidemark::analyzer
