/// Unwinds by every rule that unwind tables can hold: tracks all callee-saved registers, and
/// evaluates DWARF expressions.
///
/// The walker knows rsp and rbp, which is enough for nearly all code. Some code keeps its CFA in
/// another register (ld.so's lazy binding uses rbx), or saves rbp where only an expression finds
/// it. The value of such a register is known only by unwinding from the innermost frame on,
/// including this object's own functions. Slower: no caches. Reads memory of the calling thread's
/// stack only; no allocation, no lock, no library call.
#pragma once

#include "preload/unwind/modules.hpp"
#include "preload/unwind/rules/dwarf.hpp"
#include "preload/unwind/rules/frame_rule.hpp"

#include <cstdint>

namespace tidemark::unwind {

struct FullCapture {
  std::uint32_t count = 0;  ///< Frames found, the caller first; 0: the caller was not found.
  bool truncated = false;   ///< The outer end was not reached.
};

/// The stack of the calling thread from `caller` outwards.
/// @param caller A frame of this stack further out than this function's.
/// @param addresses Room for `limit` return addresses.
/// @param stack_pointers The same for the stack pointer of each frame; nullptr: not wanted.
FullCapture capture_fully(const FrameState& caller,
                          std::uint64_t* addresses,
                          std::uint64_t* stack_pointers,
                          std::uint32_t limit);

}  // namespace tidemark::unwind
