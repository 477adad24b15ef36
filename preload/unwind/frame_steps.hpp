/// Single-frame steps and checks shared by the walker and the full unwinder.
#pragma once

#include "preload/unwind/modules.hpp"
#include "preload/unwind/rules/expression.hpp"
#include "preload/unwind/rules/frame_rule.hpp"

#include <cstdint>

namespace tidemark::unwind {

enum class Progress : std::uint8_t { kGoOn, kEnd, kUnknown };

/// Largest plausible frame; a CFA further away comes from misread registers.
constexpr std::uint64_t kMaxFrameBytes = std::uint64_t{256} << 20;
constexpr bool is_plausible_frame(std::uint64_t sp, std::uint64_t cfa) {
  return cfa - sp - 1 < kMaxFrameBytes;
}

/// For code without unwind tables: V8, SpiderMonkey, interpreters and hand-written loops keep rbp
/// as frame pointer. True only if the two words to read are on the thread's own stack.
bool is_plausible_frame_pointer(const FrameState& state);

/// One step outwards, using rbp alone.
/// @return false when rbp does not point to a frame further out on this thread's stack.
bool step_by_frame_pointer(FrameState& state);

/// True if a `pc` without unwind tables is in the outermost frame: the loader's entry is
/// hand-written, and makecontext plants a return address that no call made.
/// @param is_exact `pc` is an interrupted instruction, not a return address.
bool is_outermost(const Module& module, std::uint64_t pc, bool is_exact);

/// The registers of the code that a signal interrupted.
/// @param sp Stack pointer of the frame that the kernel made for the handler.
Registers interrupted_registers(std::uint64_t sp);

}  // namespace tidemark::unwind
