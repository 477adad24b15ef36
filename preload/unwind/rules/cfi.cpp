#include "preload/unwind/rules/cfi.hpp"

#include "preload/unwind/rules/cfi_entry.hpp"

#include <cstring>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

/// Runs call frame instructions until they pass an address.
class Program {
 public:
  Program(const Cie& cie, std::uint64_t address, UnwindRow& row)
      : cie_(cie), address_(address), row_(row) {}

  /// @return false for an instruction that cannot be followed.
  bool run(Cursor cursor, const std::byte* end, std::uint64_t location) {
    location_ = location;
    while (cursor.before(end) && location_ <= address_) {
      if (!step(cursor))
        return false;
    }
    return cursor.ok();
  }
  void set_initial() { initial_ = row_; }

 private:
  bool step(Cursor& cursor) {
    const auto opcode = cursor.fixed<std::uint8_t>();
    const std::uint64_t operand = opcode & 0x3fU;
    switch (opcode & 0xc0U) {
      case DW_CFA_advance_loc:
        location_ += operand * cie_.code_alignment;
        return true;
      case DW_CFA_offset:
        set(operand, RegisterRule::kAtCfa, factored(cursor.uleb()));
        return true;
      case DW_CFA_restore:
        restore(operand);
        return true;
      default:
        return extended_step(opcode, cursor);
    }
  }

  bool extended_step(std::uint8_t opcode, Cursor& cursor) {
    switch (opcode) {
      case DW_CFA_nop:
        return true;
      case DW_CFA_set_loc:
        location_ = cursor.pointer(cie_.pointer_encoding, nullptr);
        return true;
      case DW_CFA_advance_loc1:
        location_ += cursor.fixed<std::uint8_t>() * cie_.code_alignment;
        return true;
      case DW_CFA_advance_loc2:
        location_ += cursor.fixed<std::uint16_t>() * cie_.code_alignment;
        return true;
      case DW_CFA_advance_loc4:
        location_ += cursor.fixed<std::uint32_t>() * cie_.code_alignment;
        return true;
      case DW_CFA_remember_state:
        return remember();
      case DW_CFA_restore_state:
        return recall();
      case DW_CFA_def_cfa:
        set_cfa_register(cursor.uleb());
        [[fallthrough]];
      case DW_CFA_def_cfa_offset:
        row_.cfa_offset = static_cast<std::int64_t>(cursor.uleb());
        return true;
      case DW_CFA_def_cfa_register:
        set_cfa_register(cursor.uleb());
        return true;
      case DW_CFA_def_cfa_sf:
        set_cfa_register(cursor.uleb());
        [[fallthrough]];
      case DW_CFA_def_cfa_offset_sf:
        row_.cfa_offset = factored(cursor.sleb());
        return true;
      case DW_CFA_def_cfa_expression:
        row_.cfa = UnwindRow::Cfa::kExpression;
        row_.cfa_expression = take_expression(cursor);
        return true;
      case DW_CFA_GNU_args_size:
        cursor.uleb();
        return true;  // of interest to exceptions only
      default:
        return register_step(opcode, cursor);
    }
  }

  bool register_step(std::uint8_t opcode, Cursor& cursor) {
    const std::uint64_t reg = cursor.uleb();
    switch (opcode) {
      case DW_CFA_offset_extended:
        set(reg, RegisterRule::kAtCfa, factored(cursor.uleb()));
        return true;
      case DW_CFA_restore_extended:
        restore(reg);
        return true;
      case DW_CFA_undefined:
        set(reg, RegisterRule::kUndefined, 0);
        return true;
      case DW_CFA_same_value:
        set(reg, RegisterRule::kSame, 0);
        return true;
      case DW_CFA_register:
        set(reg, RegisterRule::kInRegister, static_cast<std::int64_t>(cursor.uleb()));
        return true;
      case DW_CFA_expression:
        set_expression(reg, RegisterRule::kAtExpression, cursor);
        return true;
      case DW_CFA_offset_extended_sf:
        set(reg, RegisterRule::kAtCfa, factored(cursor.sleb()));
        return true;
      case DW_CFA_val_offset:
        set(reg, RegisterRule::kCfaPlus, factored(cursor.uleb()));
        return true;
      case DW_CFA_val_offset_sf:
        set(reg, RegisterRule::kCfaPlus, factored(cursor.sleb()));
        return true;
      case DW_CFA_val_expression:
        set_expression(reg, RegisterRule::kIsExpression, cursor);
        return true;
      case DW_CFA_GNU_negative_offset_extended:
        set(reg, RegisterRule::kAtCfa, factored(0 - cursor.uleb()));
        return true;
      default:
        return false;
    }
  }

  /// Wraps where the tables are garbage.
  [[nodiscard]] std::int64_t factored(std::uint64_t value) const {
    return static_cast<std::int64_t>(value * static_cast<std::uint64_t>(cie_.data_alignment));
  }
  [[nodiscard]] std::int64_t factored(std::int64_t value) const {
    return factored(static_cast<std::uint64_t>(value));
  }
  static Expression take_expression(Cursor& cursor) {
    const std::uint64_t length = cursor.uleb();
    const Expression expression{cursor.at(), static_cast<std::uint32_t>(length)};
    cursor.skip(length);
    return expression;
  }
  void set_cfa_register(std::uint64_t reg) {
    row_.cfa = UnwindRow::Cfa::kRegister;
    row_.cfa_register = reg;
  }
  void set(std::uint64_t reg, RegisterRule::Kind kind, std::int64_t offset) {
    if (const unsigned i = kept_register(reg); i < kKeptRegisters) {
      row_.registers[i] = {.kind = kind, .offset = offset};
    }
  }
  void set_expression(std::uint64_t reg, RegisterRule::Kind kind, Cursor& cursor) {
    const Expression expression = take_expression(cursor);
    if (const unsigned i = kept_register(reg); i < kKeptRegisters) {
      row_.registers[i] = {
          .kind = kind, .length = expression.length, .expression = expression.begin};
    }
  }
  void restore(std::uint64_t reg) {
    if (const unsigned i = kept_register(reg); i < kKeptRegisters)
      row_.registers[i] = initial_.registers[i];
  }
  bool remember() {
    if (depth_ == kMaxRememberedRows)
      return false;
    remembered_[depth_++] = row_;
    return true;
  }
  bool recall() {
    if (depth_ == 0)
      return false;
    row_ = remembered_[--depth_];
    return true;
  }

  static constexpr unsigned kMaxRememberedRows =
      4;  ///< Compilers nest these once; glibc's code twice.
  const Cie& cie_;
  std::uint64_t address_;
  UnwindRow& row_;
  std::uint64_t location_ = 0;
  UnwindRow initial_;
  UnwindRow remembered_[kMaxRememberedRows];
  unsigned depth_ = 0;
};

Cursor bytes_of(const Expression& expression) {
  return {expression.begin, expression.begin, expression.begin + expression.length};
}

/// The two CFA expressions that tools emit: binutils' for PLT entries, gcc's for realigned stacks.
void set_cfa_of(const Expression& expression, std::uint64_t address, FrameRule& rule) {
  Cursor bytes = bytes_of(expression);
  std::uint8_t op[11] = {};
  if (expression.length == sizeof op) {
    for (auto& byte : op)
      byte = bytes.fixed<std::uint8_t>();
    // rsp + 8, and 8 more once the stub has pushed: (rip & 15) >= n.
    const std::uint8_t plt[11] = {DW_OP_breg7, 8,         DW_OP_breg16, 0,
                                  DW_OP_lit15, DW_OP_and, op[6],        DW_OP_ge,
                                  DW_OP_lit3,  DW_OP_shl, DW_OP_plus};
    if (std::memcmp(op, plt, sizeof op) == 0 && op[6] >= DW_OP_lit0 && op[6] <= DW_OP_lit31) {
      rule.kind = RuleKind::kFromSp;
      rule.cfa_offset = 8 + ((address & 15U) >= std::uint64_t{op[6]} - DW_OP_lit0 ? 8 : 0);
    }
    return;
  }
  if (bytes.fixed<std::uint8_t>() != DW_OP_breg6)
    return;
  const std::int64_t offset = bytes.sleb();
  if (bytes.fixed<std::uint8_t>() != DW_OP_deref || !bytes.ok() ||
      bytes.at() != expression.begin + expression.length)
    return;
  rule.kind = RuleKind::kDerefBp;
  rule.cfa_offset = static_cast<std::int32_t>(offset);
}

/// @return true when `rule` says: saved at a constant distance from rbp itself.
bool is_saved_at_bp(const RegisterRule& rule, std::int64_t& distance) {
  if (rule.kind != RegisterRule::kAtExpression)
    return false;
  Cursor bytes = bytes_of({rule.expression, rule.length});
  if (bytes.fixed<std::uint8_t>() != DW_OP_breg6)
    return false;
  distance = bytes.sleb();
  return bytes.ok() && bytes.at() == rule.expression + rule.length;
}

FrameRule short_form(const UnwindRow& row, std::uint64_t address) {
  FrameRule rule;
  const RegisterRule& return_address = row.rule(kReturnAddress);
  if (return_address.kind == RegisterRule::kUndefined) {
    rule.kind = RuleKind::kEnd;
    return rule;
  }
  const auto small = [](std::int64_t value) { return value > -(1 << 30) && value < (1 << 30); };
  if (return_address.kind != RegisterRule::kAtCfa || return_address.offset != -8 ||
      !small(row.cfa_offset))
    return rule;
  if (row.cfa == UnwindRow::Cfa::kExpression) {
    set_cfa_of(row.cfa_expression, address, rule);
  } else if (row.cfa == UnwindRow::Cfa::kRegister) {
    rule.kind = row.cfa_register == kRsp   ? RuleKind::kFromSp
                : row.cfa_register == kRbp ? RuleKind::kFromBp
                                           : RuleKind::kUnknown;
    rule.cfa_offset = static_cast<std::int32_t>(row.cfa_offset);
  }
  const RegisterRule& bp = row.rule(kRbp);
  if (bp.kind == RegisterRule::kSame || bp.kind == RegisterRule::kUndefined)
    return rule;
  std::int64_t distance = 0;
  bool is_saved = false;
  if (rule.kind == RuleKind::kDerefBp) {
    is_saved = is_saved_at_bp(bp, distance);
  } else if (bp.kind == RegisterRule::kAtCfa) {
    is_saved = true;
    distance = bp.offset;
  }
  if (!is_saved || !small(distance))
    return {};
  rule.saves_bp = true;
  rule.bp_offset = static_cast<std::int32_t>(distance);
  return rule;
}

}  // namespace

RowFound find_row(const UnwindTables& tables, std::uint64_t address, UnwindRow& row) {
  Entry entry;
  switch (find_entry(tables, address, entry)) {
    case EntryFound::kNotCovered:
      return RowFound::kNotCovered;
    case EntryFound::kUnreadable:
      return RowFound::kUnreadable;
    case EntryFound::kEntry:
      break;
  }
  if (entry.cie.signal_frame)
    return RowFound::kSignal;
  const Cursor anywhere(tables.map_begin, tables.map_begin, tables.map_end);
  row = {};
  Program program(entry.cie, address, row);
  if (!program.run(anywhere.from(entry.cie.program), entry.cie.program_end, 0))
    return RowFound::kUnreadable;
  program.set_initial();
  if (!program.run(anywhere.from(entry.program), entry.program_end, entry.begin))
    return RowFound::kUnreadable;
  return RowFound::kRow;
}

FrameRule find_rule(const UnwindTables& tables, std::uint64_t address) {
  UnwindRow row;
  switch (find_row(tables, address, row)) {
    case RowFound::kRow:
      return short_form(row, address);
    case RowFound::kSignal:
      return {RuleKind::kSignal};
    case RowFound::kNotCovered:
      return {RuleKind::kNone};
    case RowFound::kUnreadable:
      break;
  }
  return {};
}

bool is_planted(const UnwindTables& tables, std::uint64_t return_address) {
  Entry entry;
  return find_entry(tables, return_address - 1, entry) == EntryFound::kNotCovered &&
         find_entry(tables, return_address, entry) == EntryFound::kEntry &&
         entry.begin == return_address;
}

}  // namespace tidemark::unwind
