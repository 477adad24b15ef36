/// Blocks whose bytes were copied on, by the nodes of the chain.
#pragma once

#include "analyzer/findings/findings.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// `Layer::Layer (layer.hpp:8), called by grow (load.cpp:12)`: with its caller where the place has
/// several nodes, as the elements of a vector that copies them when it grows.
std::string node_text(const ChainNode& node);

/// The blocks of one node, or of several that are one place, that were copied on whole and are
/// alive at the peak.
struct Sources {
  std::size_t node = 0;            ///< The first of them.
  std::set<std::size_t> others{};  ///< The rest.
  std::uint64_t bytes = 0;         ///< Their bytes at the peak.
  std::uint64_t blocks = 0;
  std::uint64_t doubled = 0;      ///< The part whose copies are alive as well.
  std::uint64_t outgrown = 0;     ///< How many of `blocks` are old ones of containers that grow,
  std::uint64_t grown_bytes = 0;  ///< and what their new ones have.
  /// The part of `doubled` that came to its copies through other blocks.
  std::uint64_t relayed = 0;
  std::uint64_t last_ns = 0;      ///< When the last of them had been copied on,
  std::uint64_t call_end_ns = 0;  ///< and when the call that did it had made its last copy.
  std::map<std::size_t, std::uint64_t> targets;  ///< Node to bytes of `doubled`.
  Savings had_they_gone;  ///< With the last copy out of each, or the last one of that call.
  Savings had_they_never_been;

  /// Without them more goes at the peak than is there twice: their other bytes have no copy yet, or
  /// none that is still there.
  [[nodiscard]] bool take_notably_more() const;
  [[nodiscard]] bool are_outgrown() const { return blocks != 0 && outgrown == blocks; }
  [[nodiscard]] bool has(std::size_t other) const {
    return node == other || others.contains(other);
  }
  /// Adds another node, which comes after it in the chain.
  void join(const Sources& other);
};

/// By the node in the chain.
using SourcesByNode = std::map<std::size_t, Sources>;
/// Considers all blocks; those that a finding has named only on the first look.
SourcesByNode collect_sources(const Evidence& evidence);

/// Joins nodes of one place: a vector that copies its elements into itself whenever it grows, and
/// several lines that read parts of a model, such as its shards, and copy them to the same blocks.
std::vector<Sources> join_sources(const Evidence& evidence, const SourcesByNode& by_node);

}  // namespace tidemark::analyzer
