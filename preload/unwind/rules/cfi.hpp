/// Reads the unwind rules of one program counter from a module's `.eh_frame`.
///
/// Source of the formats: LSB Core 5.0, chapter 10 (.eh_frame, .eh_frame_hdr), and DWARF 5,
/// section 6.4 (call frame instructions). Reads only; no allocation, no lock, no library call.
#pragma once

#include "preload/unwind/rules/dwarf.hpp"
#include "preload/unwind/rules/frame_rule.hpp"
#include "preload/unwind/rules/unwind_tables.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::unwind {

/// A DWARF expression: bytes of the tables.
struct Expression {
  const std::byte* begin = nullptr;
  std::uint32_t length = 0;
};

/// How one register of the caller is found.
struct RegisterRule {
  enum Kind : std::uint8_t {
    kSame,          ///< Unchanged by the callee, or not in the tables.
    kUndefined,     ///< Lost. For the return address: the outermost frame.
    kAtCfa,         ///< Saved at CFA + offset.
    kCfaPlus,       ///< It is CFA + offset.
    kInRegister,    ///< In register `offset`.
    kAtExpression,  ///< Saved where the expression says.
    kIsExpression,  ///< It is what the expression says.
  };
  Kind kind = kSame;
  std::uint32_t length = 0;  ///< Length of the expression, in bytes.
  union {
    std::int64_t offset = 0;
    const std::byte* expression;
  };
};
static_assert(sizeof(RegisterRule) == 16, "rows lie on the host's stack, which may be a tiny one");

/// One row of the unwind table: how a frame's caller is found at one address.
struct UnwindRow {
  enum class Cfa : std::uint8_t { kNone, kRegister, kExpression };
  Cfa cfa = Cfa::kNone;
  std::uint64_t cfa_register = 0;  ///< For kRegister: CFA = this register + cfa_offset.
  std::int64_t cfa_offset = 0;
  Expression cfa_expression;
  RegisterRule registers[kKeptRegisters];  ///< By kept_register.

  [[nodiscard]] const RegisterRule& rule(DwarfRegister reg) const {
    return registers[kept_register(reg)];
  }
};

enum class RowFound : std::uint8_t {
  kRow,
  kSignal,      ///< The frame that the kernel makes for a signal handler; no row.
  kNotCovered,  ///< The tables do not cover this address.
  kUnreadable,  ///< They do, in a form that this reader does not support.
};

/// @param address Where to look. For a return address pass it less one: a call may be the last
/// instruction of its function.
RowFound find_row(const UnwindTables& tables, std::uint64_t address, UnwindRow& row);

/// The same for rules of the short form, which nearly all code has.
/// @return kUnknown for a rule of another form; kNone for an address that the tables do not cover.
FrameRule find_rule(const UnwindTables& tables, std::uint64_t address);

/// True if the return address is the first instruction of a function, so that no call can have made
/// it. glibc's makecontext puts such an address at the end of a coroutine's stack.
bool is_planted(const UnwindTables& tables, std::uint64_t return_address);

}  // namespace tidemark::unwind
