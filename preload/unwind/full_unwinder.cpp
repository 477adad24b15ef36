#include "preload/unwind/full_unwinder.hpp"

#include "preload/unwind/frame_steps.hpp"
#include "preload/unwind/own_stack.hpp"
#include "preload/unwind/rules/expression.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

/// Frames of this object between `capture_fully` and the caller of a hook.
constexpr unsigned kMaxOwnFrames = 32;
/// On an unknown stack (a coroutine's or a signal handler's): how many bytes above the innermost
/// frame may be read.
constexpr std::uint64_t kUnknownStackBytes = std::uint64_t{64} << 10;

Readable readable_stack(std::uint64_t sp) {
  const std::uint64_t end = own_stack_end(sp);
  return {sp, end != 0 ? end : sp + kUnknownStackBytes};
}

class FullUnwinder {
 public:
  explicit FullUnwinder(const Registers& registers)
      : registers_(registers), readable_(readable_stack(registers.get(kRsp))) {}

  [[nodiscard]] FrameState state() const {
    return {registers_.get(kReturnAddress), registers_.get(kRsp),
            registers_.knows(kRbp) ? registers_.get(kRbp) : 0};
  }

  Progress step() {
    Module module;
    if (!find_module(registers_.get(kReturnAddress), module))
      return step_by_frame_pointer();
    UnwindRow row;
    const std::uint64_t pc = registers_.get(kReturnAddress) - (is_exact_ ? 0 : 1);
    switch (find_row(module.tables, pc, row)) {
      case RowFound::kSignal:
        return step_out_of_signal();
      case RowFound::kRow:
        return step_by(row);
      case RowFound::kNotCovered:
        return is_outermost(module, registers_.get(kReturnAddress), is_exact_)
                   ? Progress::kEnd
                   : step_by_frame_pointer();
      case RowFound::kUnreadable:
        break;
    }
    return Progress::kUnknown;
  }

 private:
  Progress step_by(const UnwindRow& row) {
    if (row.rule(kReturnAddress).kind == RegisterRule::kUndefined)
      return Progress::kEnd;
    std::uint64_t cfa = 0;
    if (!find_cfa(row, cfa) || !is_plausible_frame(registers_.get(kRsp), cfa))
      return Progress::kUnknown;
    Registers outer = registers_;
    for (unsigned i = 0; i < kKeptRegisters; ++i)
      outer.known[i] = find_register(row.registers[i], cfa, i, outer.value[i]);
    // The CFA is the caller's stack pointer by definition, unless the tables say otherwise.
    if (row.rule(kRsp).kind == RegisterRule::kSame)
      outer.set(kRsp, cfa);
    if (!outer.knows(kReturnAddress) || !outer.knows(kRsp))
      return Progress::kUnknown;
    registers_ = outer;
    is_exact_ = false;
    return registers_.get(kReturnAddress) == 0 ? Progress::kEnd : Progress::kGoOn;
  }

  bool find_cfa(const UnwindRow& row, std::uint64_t& cfa) const {
    switch (row.cfa) {
      case UnwindRow::Cfa::kNone:
        return false;
      case UnwindRow::Cfa::kExpression:
        return evaluate(row.cfa_expression, registers_, readable_, nullptr, cfa);
      case UnwindRow::Cfa::kRegister:
        break;
    }
    if (!registers_.knows(row.cfa_register))
      return false;
    cfa = registers_.value[kept_register(row.cfa_register)] +
          static_cast<std::uint64_t>(row.cfa_offset);
    return true;
  }

  /// @param i Place of the register that `rule` is about.
  bool find_register(const RegisterRule& rule,
                     std::uint64_t cfa,
                     unsigned i,
                     std::uint64_t& value) const {
    const Expression expression{rule.expression, rule.length};
    switch (rule.kind) {
      case RegisterRule::kSame:
        return registers_.known[i] && i != kept_register(kReturnAddress);
      case RegisterRule::kUndefined:
        return false;
      case RegisterRule::kAtCfa:
        return readable_.load(cfa + static_cast<std::uint64_t>(rule.offset), value);
      case RegisterRule::kCfaPlus:
        value = cfa + static_cast<std::uint64_t>(rule.offset);
        return true;
      case RegisterRule::kInRegister:
        return copy_register(static_cast<std::uint64_t>(rule.offset), value);
      case RegisterRule::kAtExpression: {
        std::uint64_t address = 0;
        return evaluate(expression, registers_, readable_, &cfa, address) &&
               readable_.load(address, value);
      }
      case RegisterRule::kIsExpression:
        return evaluate(expression, registers_, readable_, &cfa, value);
    }
    return false;
  }

  bool copy_register(std::uint64_t reg, std::uint64_t& value) const {
    if (!registers_.knows(reg))
      return false;
    value = registers_.value[kept_register(reg)];
    return true;
  }

  Progress step_by_frame_pointer() {
    FrameState outer = state();
    if (!unwind::step_by_frame_pointer(outer))
      return Progress::kUnknown;
    registers_ = {};
    registers_.set(kReturnAddress, outer.pc);
    registers_.set(kRsp, outer.sp);
    registers_.set(kRbp, outer.bp);
    is_exact_ = false;
    return Progress::kGoOn;
  }

  /// The signal frame holds all registers of the interrupted code, which may be on another stack.
  Progress step_out_of_signal() {
    registers_ = interrupted_registers(registers_.get(kRsp));
    readable_ = readable_stack(registers_.get(kRsp));
    is_exact_ = true;
    return Progress::kGoOn;
  }

  Registers registers_;
  Readable readable_;
  bool is_exact_ = true;  ///< The pc is an instruction that ran, not a return address.
};

/// The current registers. Valid only while the calling function runs.
[[gnu::always_inline]] inline Registers live_registers() {
  std::uint64_t rbx = 0, rbp = 0, rsp = 0, r12 = 0, r13 = 0, r14 = 0, r15 = 0, pc = 0;
  asm volatile(
      "movq %%rbx, %0\n\tmovq %%rbp, %1\n\tmovq %%rsp, %2\n\tmovq %%r12, %3\n\t"
      "movq %%r13, %4\n\tmovq %%r14, %5\n\tmovq %%r15, %6"
      : "=m"(rbx), "=m"(rbp), "=m"(rsp), "=m"(r12), "=m"(r13), "=m"(r14), "=m"(r15));
  asm volatile("leaq 0(%%rip), %0" : "=r"(pc));
  Registers registers;
  const std::uint64_t values[kKeptRegisters] = {rbx, rbp, rsp, r12, r13, r14, r15, pc};
  for (unsigned i = 0; i < kKeptRegisters; ++i) {
    registers.value[i] = values[i];
    registers.known[i] = true;
  }
  return registers;
}

}  // namespace

[[gnu::noinline]] FullCapture capture_fully(const FrameState& caller,
                                            std::uint64_t* addresses,
                                            std::uint64_t* stack_pointers,
                                            std::uint32_t limit) {
  FullUnwinder unwinder(live_registers());
  for (unsigned i = 0; unwinder.state().sp < caller.sp; ++i) {
    if (i == kMaxOwnFrames || unwinder.step() != Progress::kGoOn)
      return {};
  }
  if (unwinder.state().pc != caller.pc || unwinder.state().sp != caller.sp)
    return {};
  FullCapture found;
  Progress progress = Progress::kGoOn;
  while (progress == Progress::kGoOn && found.count < limit) {
    if (stack_pointers != nullptr)
      stack_pointers[found.count] = unwinder.state().sp;
    addresses[found.count++] = unwinder.state().pc;
    progress = unwinder.step();
  }
  found.truncated = progress != Progress::kEnd;
  return found;
}

}  // namespace tidemark::unwind
