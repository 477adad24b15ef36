#include "preload/unwind/rules/expression.hpp"

#include "preload/unwind/rules/cfi_cursor.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

class Evaluation {
 public:
  Evaluation(const Expression& expression, const Registers& registers, const Readable& readable)
      : begin_(expression.begin),
        end_(expression.begin + expression.length),
        bytes_(begin_, begin_, end_),
        registers_(registers),
        readable_(readable) {}

  void push(std::uint64_t value) {
    if (depth_ == kMaxStackedValues)
      ok_ = false;
    else
      stack_[depth_++] = value;
  }

  bool run(std::uint64_t& value) {
    // Branches can make a loop.
    for (unsigned steps = 0; steps < kMaxInstructions && bytes_.before(end_) && ok_; ++steps)
      step(bytes_.fixed<std::uint8_t>());
    value = pop();
    return ok_ && bytes_.ok() && bytes_.at() == end_;
  }

 private:
  std::uint64_t pop() {
    if (depth_ == 0) {
      ok_ = false;
      return 0;
    }
    return stack_[--depth_];
  }

  void pick(unsigned from_top) {
    if (from_top >= depth_)
      ok_ = false;
    else
      push(stack_[depth_ - 1 - from_top]);
  }

  void push_register(std::uint64_t reg, std::int64_t offset) {
    if (!registers_.knows(reg))
      ok_ = false;
    else
      push(registers_.value[kept_register(reg)] + static_cast<std::uint64_t>(offset));
  }

  void load(unsigned size) {
    std::uint64_t word = 0;
    const std::uint64_t address = pop();
    if (size == 0 || size > 8 || address % 8 + size > 8 ||
        !readable_.load(address - address % 8, word)) {
      ok_ = false;
      return;
    }
    word >>= address % 8 * 8;
    push(size == 8 ? word : word & ((std::uint64_t{1} << size * 8) - 1));
  }

  void branch(bool taken) {
    const auto distance = bytes_.fixed<std::int16_t>();
    if (taken)
      bytes_ = bytes_.from(bytes_.at() + distance);
  }

  void step(std::uint8_t op) {
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
      push(op - DW_OP_lit0);
    else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
      push_register(op - DW_OP_breg0, bytes_.sleb());
    else if (op >= DW_OP_addr && op <= DW_OP_rot && op != DW_OP_deref)
      step_stack(op);
    else
      step_value(op);
  }

  /// Operations that push a constant or rearrange the stack.
  void step_stack(std::uint8_t op) {
    switch (op) {
      case DW_OP_addr:
      case DW_OP_const8u:
      case DW_OP_const8s:
        return push(bytes_.fixed<std::uint64_t>());
      case DW_OP_const1u:
        return push(bytes_.fixed<std::uint8_t>());
      case DW_OP_const1s:
        return push_signed(bytes_.fixed<std::int8_t>());
      case DW_OP_const2u:
        return push(bytes_.fixed<std::uint16_t>());
      case DW_OP_const2s:
        return push_signed(bytes_.fixed<std::int16_t>());
      case DW_OP_const4u:
        return push(bytes_.fixed<std::uint32_t>());
      case DW_OP_const4s:
        return push_signed(bytes_.fixed<std::int32_t>());
      case DW_OP_constu:
        return push(bytes_.uleb());
      case DW_OP_consts:
        return push_signed(bytes_.sleb());
      case DW_OP_dup:
        return pick(0);
      case DW_OP_drop:
        pop();
        return;
      case DW_OP_over:
        return pick(1);
      case DW_OP_pick:
        return pick(bytes_.fixed<std::uint8_t>());
      case DW_OP_swap:
        return swap();
      case DW_OP_rot:
        return rotate();
      default:
        ok_ = false;
    }
  }

  /// Operations that compute, load or jump.
  void step_value(std::uint8_t op) {
    switch (op) {
      case DW_OP_deref:
        return load(8);
      case DW_OP_deref_size:
        return load(bytes_.fixed<std::uint8_t>());
      case DW_OP_bregx: {
        const std::uint64_t reg = bytes_.uleb();
        return push_register(reg, bytes_.sleb());
      }
      case DW_OP_plus_uconst:
        return push(pop() + bytes_.uleb());
      case DW_OP_abs: {
        const std::uint64_t value = pop();
        return push(static_cast<std::int64_t>(value) < 0 ? 0 - value : value);
      }
      case DW_OP_neg:
        return push(0 - pop());
      case DW_OP_not:
        return push(~pop());
      case DW_OP_skip:
        return branch(true);
      case DW_OP_bra:
        return branch(pop() != 0);
      case DW_OP_nop:
        return;
      default:
        step_pair(op);
    }
  }

  void step_pair(std::uint8_t op) {
    const std::uint64_t right = pop();
    const std::uint64_t left = pop();
    const auto signed_left = static_cast<std::int64_t>(left);
    const auto signed_right = static_cast<std::int64_t>(right);
    switch (op) {
      case DW_OP_and:
        return push(left & right);
      case DW_OP_minus:
        return push(left - right);
      case DW_OP_mul:
        return push(left * right);
      case DW_OP_or:
        return push(left | right);
      case DW_OP_plus:
        return push(left + right);
      case DW_OP_shl:
        return push(right < 64 ? left << right : 0);
      case DW_OP_shr:
        return push(right < 64 ? left >> right : 0);
      case DW_OP_shra:
        return push_signed(signed_left >> (right < 64 ? right : 63));
      case DW_OP_xor:
        return push(left ^ right);
      case DW_OP_eq:
        return push(left == right ? 1 : 0);
      case DW_OP_ge:
        return push(signed_left >= signed_right ? 1 : 0);
      case DW_OP_gt:
        return push(signed_left > signed_right ? 1 : 0);
      case DW_OP_le:
        return push(signed_left <= signed_right ? 1 : 0);
      case DW_OP_lt:
        return push(signed_left < signed_right ? 1 : 0);
      case DW_OP_ne:
        return push(left != right ? 1 : 0);
      default:
        ok_ = false;
    }
  }

  void push_signed(std::int64_t value) { push(static_cast<std::uint64_t>(value)); }

  void swap() {
    const std::uint64_t top = pop();
    const std::uint64_t below = pop();
    push(top);
    push(below);
  }

  void rotate() {
    const std::uint64_t top = pop();
    const std::uint64_t second = pop();
    const std::uint64_t third = pop();
    push(top);
    push(third);
    push(second);
  }

  static constexpr unsigned kMaxStackedValues = 16;
  static constexpr unsigned kMaxInstructions = 256;
  const std::byte* begin_;
  const std::byte* end_;
  Cursor bytes_;
  const Registers& registers_;
  const Readable& readable_;
  std::uint64_t stack_[kMaxStackedValues];
  unsigned depth_ = 0;
  bool ok_ = true;
};

}  // namespace

bool evaluate(const Expression& expression,
              const Registers& registers,
              const Readable& readable,
              const std::uint64_t* first,
              std::uint64_t& value) {
  Evaluation evaluation(expression, registers, readable);
  if (first != nullptr)
    evaluation.push(*first);
  return evaluation.run(value);
}

}  // namespace tidemark::unwind
