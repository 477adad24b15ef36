#include "preload/unwind/cfi.hpp"

#include "preload/unwind/cfi_entry.hpp"

#include <cstring>

// clang-format off: last
#include "preload/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

constexpr std::uint64_t kRbp = 6;
constexpr std::uint64_t kRsp = 7;

/// How one register of the caller is found.
struct RegisterRule {
  enum Kind : std::uint8_t { kSame, kAtCfa, kAtBp, kUndefined, kOther } kind = kSame;
  std::int64_t offset = 0;
};

/// One row of the unwind table: rules at one address.
struct Row {
  RuleKind cfa = RuleKind::kUnknown;
  std::int64_t cfa_offset = 0;
  RegisterRule bp;
  RegisterRule return_address;
};

void set_cfa_register(Row& row, std::uint64_t reg) {
  row.cfa = reg == kRsp ? RuleKind::kFromSp : reg == kRbp ? RuleKind::kFromBp : RuleKind::kUnknown;
}

/// The two CFA expressions that tools emit: binutils' for PLT entries, gcc's for realigned stacks.
void set_cfa_expression(Row& row, Cursor block, std::uint64_t length, std::uint64_t address) {
  row.cfa = RuleKind::kUnknown;
  std::uint8_t op[11] = {};
  if (length == sizeof op) {
    for (auto& byte : op)
      byte = block.fixed<std::uint8_t>();
    // breg7 8, breg16 0, lit15, and, lit(n), ge, lit3, shl, plus: 8 more once the stub has pushed.
    const std::uint8_t plt[11] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, op[6], 0x2a, 0x33, 0x24, 0x22};
    if (std::memcmp(op, plt, sizeof op) == 0 && op[6] >= 0x30 && op[6] <= 0x4f) {
      row.cfa = RuleKind::kFromSp;
      row.cfa_offset = 8 + ((address & 15U) >= op[6] - 0x30U ? 8 : 0);
    }
    return;
  }
  if (block.fixed<std::uint8_t>() != 0x76)  // breg6
    return;
  row.cfa_offset = block.sleb();
  if (block.fixed<std::uint8_t>() == 0x06 && block.ok())  // deref
    row.cfa = RuleKind::kDerefBp;
}

/// Runs call frame instructions until they pass an address.
class Program {
 public:
  Program(const Cie& cie, std::uint64_t address) : cie_(cie), address_(address) {}

  Row row;

  /// @return false for an instruction that cannot be followed.
  bool run(Cursor cursor, const std::byte* end, std::uint64_t location) {
    location_ = location;
    while (cursor.before(end) && location_ <= address_) {
      if (!step(cursor))
        return false;
    }
    return cursor.ok();
  }
  void set_initial() { initial_ = row; }

 private:
  bool step(Cursor& cursor) {
    const auto opcode = cursor.fixed<std::uint8_t>();
    const std::uint64_t low = opcode & 0x3fU;
    switch (opcode & 0xc0U) {
      case 0x40:
        location_ += low * cie_.code_alignment;
        return true;
      case 0x80:
        set_at_cfa(low, factored(cursor.uleb()));
        return true;
      case 0xc0:
        restore(low);
        return true;
      default:
        return extended_step(opcode, cursor);
    }
  }

  bool extended_step(std::uint8_t opcode, Cursor& cursor) {
    switch (opcode) {
      case 0x00:
        return true;
      case 0x01:
        location_ = cursor.pointer(cie_.pointer_encoding, nullptr);
        return true;
      case 0x02:
        location_ += cursor.fixed<std::uint8_t>() * cie_.code_alignment;
        return true;
      case 0x03:
        location_ += cursor.fixed<std::uint16_t>() * cie_.code_alignment;
        return true;
      case 0x04:
        location_ += cursor.fixed<std::uint32_t>() * cie_.code_alignment;
        return true;
      case 0x0a:
        return remember();
      case 0x0b:
        return recall();
      case 0x0c:
        set_cfa_register(row, cursor.uleb());
        [[fallthrough]];
      case 0x0e:
        row.cfa_offset = static_cast<std::int64_t>(cursor.uleb());
        return true;
      case 0x0d:
        set_cfa_register(row, cursor.uleb());
        return true;
      case 0x12:
        set_cfa_register(row, cursor.uleb());
        [[fallthrough]];
      case 0x13:
        row.cfa_offset = factored(cursor.sleb());
        return true;
      case 0x0f: {
        const std::uint64_t length = cursor.uleb();
        set_cfa_expression(row, cursor, length, address_);
        cursor.skip(length);
        return true;
      }
      case 0x2e:
        cursor.uleb();
        return true;  // GNU_args_size: of interest to exceptions only
      default:
        return register_step(opcode, cursor);
    }
  }

  bool register_step(std::uint8_t opcode, Cursor& cursor) {
    const std::uint64_t reg = cursor.uleb();
    switch (opcode) {
      case 0x05:
        set_at_cfa(reg, factored(cursor.uleb()));
        return true;
      case 0x06:
        restore(reg);
        return true;
      case 0x07:
        set(reg, {RegisterRule::kUndefined, 0});
        return true;
      case 0x08:
        set(reg, {RegisterRule::kSame, 0});
        return true;
      case 0x09:
        cursor.uleb();
        set(reg, {RegisterRule::kOther, 0});
        return true;
      case 0x10:
        set_expression(reg, cursor);
        return true;
      case 0x11:
        set_at_cfa(reg, factored(cursor.sleb()));
        return true;
      case 0x14:
        cursor.uleb();
        set(reg, {RegisterRule::kOther, 0});
        return true;
      case 0x15:
        cursor.sleb();
        set(reg, {RegisterRule::kOther, 0});
        return true;
      case 0x16:
        cursor.skip(cursor.uleb());
        set(reg, {RegisterRule::kOther, 0});
        return true;
      case 0x2f:
        set_at_cfa(reg, factored(0 - cursor.uleb()));
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
  void set(std::uint64_t reg, RegisterRule rule) {
    if (reg == kRbp)
      row.bp = rule;
    else if (reg == kReturnAddress)
      row.return_address = rule;
  }
  void set_at_cfa(std::uint64_t reg, std::int64_t offset) {
    set(reg, {RegisterRule::kAtCfa, offset});
  }
  void set_expression(std::uint64_t reg, Cursor& cursor) {
    const std::uint64_t length = cursor.uleb();
    Cursor block = cursor;
    cursor.skip(length);
    RegisterRule rule{RegisterRule::kOther, 0};
    if (length >= 2 && block.fixed<std::uint8_t>() == 0x76) {  // breg6 n: saved where rbp points
      rule = {RegisterRule::kAtBp, block.sleb()};
      if (block.at() != cursor.at())
        rule.kind = RegisterRule::kOther;
    }
    set(reg, rule);
  }
  void restore(std::uint64_t reg) { set(reg, reg == kRbp ? initial_.bp : initial_.return_address); }
  bool remember() {
    if (depth_ == kMaxDepth)
      return false;
    saved_[depth_++] = row;
    return true;
  }
  bool recall() {
    if (depth_ == 0)
      return false;
    row = saved_[--depth_];
    return true;
  }

  static constexpr unsigned kMaxDepth = 8;
  const Cie& cie_;
  std::uint64_t address_;
  std::uint64_t location_ = 0;
  Row initial_;
  Row saved_[kMaxDepth];
  unsigned depth_ = 0;
};

FrameRule rule_of(const Row& row) {
  FrameRule rule;
  if (row.return_address.kind == RegisterRule::kUndefined) {
    rule.kind = RuleKind::kEnd;
    return rule;
  }
  const bool usual_return =
      row.return_address.kind == RegisterRule::kAtCfa && row.return_address.offset == -8;
  const bool deref = row.cfa == RuleKind::kDerefBp;
  const bool bp_saved = row.bp.kind == (deref ? RegisterRule::kAtBp : RegisterRule::kAtCfa);
  const bool bp_kept =
      row.bp.kind == RegisterRule::kSame || row.bp.kind == RegisterRule::kUndefined;
  const auto small = [](std::int64_t value) { return value > -(1 << 30) && value < (1 << 30); };
  if (!usual_return || (!bp_saved && !bp_kept) || !small(row.cfa_offset) || !small(row.bp.offset))
    return rule;
  rule.kind = row.cfa;
  rule.cfa_offset = static_cast<std::int32_t>(row.cfa_offset);
  rule.saves_bp = bp_saved;
  rule.bp_offset = bp_saved ? static_cast<std::int32_t>(row.bp.offset) : 0;
  return rule;
}

}  // namespace

FrameRule find_rule(const UnwindTables& tables, std::uint64_t address) {
  FrameRule unknown;
  Entry entry;
  if (!find_entry(tables, address, entry))
    return unknown;
  if (entry.cie.signal_frame) {
    unknown.kind = RuleKind::kSignal;
    return unknown;
  }
  const Cursor anywhere(tables.map_begin, tables.map_begin, tables.map_end);
  Program program(entry.cie, address);
  if (!program.run(anywhere.from(entry.cie.program), entry.cie.program_end, 0))
    return unknown;
  program.set_initial();
  if (!program.run(anywhere.from(entry.program), entry.program_end, entry.begin))
    return unknown;
  return rule_of(program.row);
}

bool is_planted(const UnwindTables& tables, std::uint64_t return_address) {
  Entry entry;
  return !find_entry(tables, return_address - 1, entry) &&
         find_entry(tables, return_address, entry) && entry.begin == return_address;
}

}  // namespace tidemark::unwind
