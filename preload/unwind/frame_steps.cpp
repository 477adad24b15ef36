#include "preload/unwind/frame_steps.hpp"

#include "preload/unwind/own_stack.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

/// An rbp further away than this is not taken for a frame pointer.
constexpr std::uint64_t kMaxGuessedFrameBytes = std::uint64_t{1} << 20;

std::uint64_t load(std::uint64_t address) {
  return *reinterpret_cast<const std::uint64_t*>(address);
}

}  // namespace

bool is_plausible_frame_pointer(const FrameState& state) {
  const std::uint64_t top = own_stack_end(state.sp);
  return top != 0 && state.bp % 8 == 0 && state.bp >= state.sp &&
         state.bp - state.sp < kMaxGuessedFrameBytes && state.bp + 16 <= top;
}

bool step_by_frame_pointer(FrameState& state) {
  if (!is_plausible_frame_pointer(state))
    return false;
  const std::uint64_t frame = state.bp;
  state = {load(frame + 8), frame + 16, load(frame)};
  return state.pc != 0;
}

bool is_outermost(const Module& module, std::uint64_t pc, bool is_exact) {
  return module.is_loader || (!is_exact && is_planted(module.tables, pc));
}

Registers interrupted_registers(std::uint64_t sp) {
  // rt_sigframe: the ucontext is at sp, uc_mcontext.gregs at its byte 40 (asm/sigcontext.h): r8 to
  // r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip.
  const auto saved = [sp](unsigned place) { return load(sp + 40 + 8 * place); };
  Registers registers;
  const std::uint64_t values[kKeptRegisters] = {saved(11), saved(10), saved(15), saved(4),
                                                saved(5),  saved(6),  saved(7),  saved(16)};
  for (unsigned i = 0; i < kKeptRegisters; ++i) {
    registers.value[i] = values[i];
    registers.known[i] = true;
  }
  return registers;
}

}  // namespace tidemark::unwind
