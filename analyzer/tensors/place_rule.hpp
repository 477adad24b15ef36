/// What the rest of a place holds, where all that was seen of it holds tensors.
///
/// A block that lives for a few milliseconds, or is filled shortly before the end, may not be
/// looked into in time. But a loop that makes a block for each tensor, in their order, shows itself
/// in the blocks that were: then each of the others has the tensor that is due there, if it has its
/// size.
#pragma once

#include "analyzer/flow/flow_index.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"

#include <vector>

namespace tidemark::analyzer {

/// What a block holds of which nothing was seen.
struct InferredPart {
  std::uint32_t life = 0;  ///< Index into the flow's lives.
  TensorPart part;
};

/// Of the blocks of a process that the same lines asked for (those of containers and allocators
/// left out) and that have the size of a tensor in the form in which the place has them, four at
/// least were seen to hold a tensor, each with the same bytes an element and room beyond it; and
/// for nine of these no more than one was looked into when its turn had been and held something
/// else. Half of the blocks were seen, or there is one for each tensor.
///
/// In the order that the file lists them in, or has them in, the tensors of those that were seen
/// are as far from each other as their blocks are (nine tenths): then the other blocks take what
/// lies between and behind, where it has their size.
/// @param peak how many events there were before it: blocks that are alive then.
std::vector<InferredPart> infer_parts(const trace::Definitions& definitions,
                                      const BlockContents& contents,
                                      const FlowIndex& flow,
                                      trace::EventOrdinal peak);

}  // namespace tidemark::analyzer
