/// Where the unwind tables of a loaded module are.
#pragma once

#include <cstddef>

namespace tidemark::unwind {

/// A loaded module's unwind tables. The memory must stay mapped during a look-up: true for any
/// module that has a frame on the calling thread's stack.
struct UnwindTables {
  const std::byte* eh_frame_header = nullptr;  ///< PT_GNU_EH_FRAME; nullptr: the module has none.
  const std::byte* map_begin = nullptr;        ///< Bounds of the module's mapping.
  const std::byte* map_end = nullptr;
};

}  // namespace tidemark::unwind
