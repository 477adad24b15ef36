/// Reads the unwind rule of one program counter from a module's `.eh_frame`.
///
/// Source of the formats: LSB Core 5.0, chapter 10 (.eh_frame, .eh_frame_hdr), and DWARF 5,
/// section 6.4 (call frame instructions). Reads only; no allocation, no lock, no library call.
#pragma once

#include "preload/unwind/frame_rule.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::unwind {

/// A loaded module's unwind tables. The memory must stay mapped during a look-up: true for any
/// module that has a frame on the calling thread's stack.
struct UnwindTables {
  const std::byte* eh_frame_header = nullptr;  ///< PT_GNU_EH_FRAME; nullptr: the module has none.
  const std::byte* map_begin = nullptr;        ///< Bounds of the module's mapping.
  const std::byte* map_end = nullptr;
};

/// @param address Where to look. For a return address pass it less one: a call may be the last
/// instruction of its function.
/// @return kUnknown where the tables say nothing, or something this reader does not follow.
FrameRule find_rule(const UnwindTables& tables, std::uint64_t address);

/// True for the first instruction of a function with nothing known before it: nobody called from
/// there. glibc's makecontext puts such a return address at the end of a coroutine's stack.
bool is_planted(const UnwindTables& tables, std::uint64_t return_address);

}  // namespace tidemark::unwind
