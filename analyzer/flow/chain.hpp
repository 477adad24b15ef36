/// The way of the model's bytes as a graph.
#pragma once

#include "analyzer/flow/flow_index.hpp"
#include "analyzer/flow/model_chain.hpp"
#include "analyzer/flow/model_files.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// The chain, and the node of each life of the flow.
struct PlacedChain {
  static constexpr std::size_t kNoNode = SIZE_MAX;
  Chain chain;
  std::vector<std::size_t> node_of;  ///< By life; kNoNode for one that held no byte of the model.
};

/// Sorts nodes and edges as documented in Chain, and names the nodes.
void arrange(PlacedChain& placed);

/// Lives form one node if the same place of the program asked for them, in the same lane, at the
/// same distance from the file. All files of the model are the first node.
PlacedChain build_chain(const FlowIndex& flow,
                        const ModelFlow& totals,
                        const ModelFiles& files,
                        const LoadFacts& load,
                        const LoadedTrace& trace);

}  // namespace tidemark::analyzer
