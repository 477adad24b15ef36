/// The immutable state of an open trace that reading its events needs.
#pragma once

#include "collector/trace/coding/event_decoder.hpp"
#include "collector/trace/file/file_header.hpp"
#include "collector/trace/file/file_map.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::trace {

struct EventBlocks {
  FileMap map;  ///< Empty when the bytes are borrowed.
  ByteView file;
  FileHeader header;
  std::vector<BlockSummary> summaries;
  std::vector<std::uint64_t> offsets;  ///< Where in the file the blocks of `summaries` begin.
  IdLimits limits;
};

}  // namespace tidemark::trace
