/// Which blocks a trace has: from its index, or by walking its block headers.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/file/trace_index.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::trace {

struct BlockList {
  std::vector<IndexEntry>
      blocks;   ///< In file order. Summaries of events blocks join: see FORMAT.md.
  Loss damage;  ///< Met while making the list.
  /// Damage after the last block: counts only if no end of the session precedes it.
  Loss tail_damage;
  bool from_index = false;
};

/// Uses the index if it is valid, else walks the headers.
BlockList list_blocks(ByteView file);

}  // namespace tidemark::trace
