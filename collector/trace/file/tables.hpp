/// Everything of a trace but its events: definitions, samples, session, and what is missing.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/file/block_list.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::trace {

struct Tables {
  Definitions definitions;
  std::vector<Sample> samples;
  Loss damage;  ///< Found while opening; what the recording lost is in the session.
  /// The last process, thread and file stand for those whose definitions are damaged.
  bool placeholders = false;
};

/// @param event_end Ordinal after the last event of the blocks in `list`.
Tables read_tables(ByteView file, const BlockList& list, EventOrdinal event_end);

}  // namespace tidemark::trace
