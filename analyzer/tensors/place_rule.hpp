/// Infers what the blocks of a place hold that were not looked into, if all others hold tensors.
///
/// A block that lives for a few milliseconds, or is filled shortly before the end, may not be
/// looked into in time. But if a loop makes a block for each tensor, in order, the blocks looked
/// into show that: each of the others then has the tensor that is next in the order, if it has its
/// size.
#pragma once

#include "analyzer/flow/flow_index.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::analyzer {

/// What a block holds that was not looked into.
struct InferredPart {
  std::uint32_t life = 0;  ///< Index into the flow's lives.
  TensorPart part;
};

/// A block of the peak, and the one tensor that it was seen to hold, if any.
struct SeenBlock {
  std::uint32_t life = 0;
  std::uint64_t size = 0;
  std::optional<TensorPart> part{};
};

/// Whether who asked for the block is known, and it is alive after `peak` events: else nothing can
/// be inferred of it.
bool has_place(const trace::Definitions& definitions,
               const BlockLife& life,
               trace::EventOrdinal peak);

/// Conditions, for the blocks of a process that the same lines asked for (ignoring lines of
/// containers and allocators) and that have the size of a tensor in the form of this place: at
/// least four were seen to hold a tensor, all with the same bytes per element and the same room
/// beyond; for every nine of these, at most one was looked into late enough and held something
/// else; and half of the blocks were seen, or there is one for each tensor.
///
/// If then, in the order of the file's list or of its bytes, the tensors seen are as far apart as
/// their blocks (for nine tenths of them), the other blocks get the tensors in between and after,
/// where sizes agree.
/// @param blocks that have a place; what is known of them is all of one kind: as values of some
/// type, or scaled.
std::vector<InferredPart> infer_parts(const trace::Definitions& definitions,
                                      const FlowIndex& flow,
                                      const std::vector<SeenBlock>& blocks);

/// The same for what `contents` knows by values.
/// @param peak how many events there were before it: blocks that are alive then.
std::vector<InferredPart> infer_parts(const trace::Definitions& definitions,
                                      const BlockContents& contents,
                                      const FlowIndex& flow,
                                      trace::EventOrdinal peak);

}  // namespace tidemark::analyzer
