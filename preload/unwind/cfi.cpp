#include "preload/unwind/cfi.hpp"

#include <cstring>

// clang-format off: last
#include "preload/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

constexpr std::uint64_t kRbp = 6;
constexpr std::uint64_t kRsp = 7;
constexpr std::uint64_t kReturnAddress = 16;

/// A position in a module's mapping that cannot leave it: past the end it reads zeros and `ok` is
/// false.
class Cursor {
 public:
  Cursor(const std::byte* at, const std::byte* begin, const std::byte* end)
      : at_(at), begin_(begin), end_(end), ok_(at >= begin && at <= end) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] const std::byte* at() const { return at_; }
  [[nodiscard]] bool before(const std::byte* limit) const { return ok_ && at_ < limit; }

  [[nodiscard]] Cursor from(const std::byte* at) const { return {at, begin_, end_}; }
  void skip(std::uint64_t bytes) {
    if (!ok_ || bytes > static_cast<std::uint64_t>(end_ - at_))
      ok_ = false;
    else
      at_ += bytes;
  }

  template <typename T>
  T fixed() {
    T value{};
    if (!ok_ || static_cast<std::size_t>(end_ - at_) < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64)
        value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0 || !ok_)
        return value;
    }
  }

  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64)
        value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if ((byte & 0x80U) != 0 && ok_)
        continue;
      if ((byte & 0x40U) != 0 && shift < 64)
        value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }

  /// A pointer in one of the DW_EH_PE encodings. `data` is the base of the data-relative ones.
  std::uint64_t pointer(std::uint8_t encoding, const std::byte* data) {
    const auto here = reinterpret_cast<std::uint64_t>(at_);
    std::uint64_t value = encoded_value(encoding & 0x0fU);
    switch (encoding & 0x70U) {
      case 0x00:
        break;
      case 0x10:
        value += here;
        break;
      case 0x30:
        value += reinterpret_cast<std::uint64_t>(data);
        break;
      default:
        ok_ = false;
    }
    // An indirect pointer names a personality routine, never a place that we go to.
    return value;
  }

 private:
  std::uint64_t encoded_value(unsigned format) {
    switch (format) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return fixed<std::uint64_t>();
      case 0x01:
        return uleb();
      case 0x02:
        return fixed<std::uint16_t>();
      case 0x03:
        return fixed<std::uint32_t>();
      case 0x09:
        return static_cast<std::uint64_t>(sleb());
      case 0x0a:
        return static_cast<std::uint64_t>(std::int64_t{fixed<std::int16_t>()});
      case 0x0b:
        return static_cast<std::uint64_t>(std::int64_t{fixed<std::int32_t>()});
      default:
        ok_ = false;
        return 0;
    }
  }

  const std::byte* at_;
  const std::byte* begin_;
  const std::byte* end_;
  bool ok_;
};

/// Binary search of `.eh_frame_hdr`. @return the FDE that may cover `address`, or nullptr.
const std::byte* find_fde(const UnwindTables& tables, std::uint64_t address) {
  constexpr std::uint8_t kTableEncoding =
      0x3b;  // data-relative, signed 4 bytes: all linkers' choice
  const std::byte* header = tables.eh_frame_header;
  Cursor cursor(header, tables.map_begin, tables.map_end);
  const auto version = cursor.fixed<std::uint8_t>();
  const auto frame_encoding = cursor.fixed<std::uint8_t>();
  const auto count_encoding = cursor.fixed<std::uint8_t>();
  const auto table_encoding = cursor.fixed<std::uint8_t>();
  cursor.pointer(frame_encoding, header);
  const std::uint64_t count = cursor.pointer(count_encoding, header);
  if (!cursor.ok() || version != 1 || table_encoding != kTableEncoding || count == 0)
    return nullptr;
  if (count > static_cast<std::uint64_t>(tables.map_end - cursor.at()) / 8)
    return nullptr;

  const std::byte* table = cursor.at();
  const auto entry = [&](std::uint64_t i, std::size_t field) {
    std::int32_t offset = 0;
    std::memcpy(&offset, table + i * 8 + field, sizeof offset);
    return header + offset;
  };
  const auto* wanted = reinterpret_cast<const std::byte*>(address);
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (entry(middle, 0) <= wanted ? low : high) = middle;
  }
  return entry(low, 0) <= wanted ? entry(low, 4) : nullptr;
}

/// What a common information entry says that matters here.
struct Cie {
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint8_t pointer_encoding = 0;
  bool has_augmentation = false;
  bool signal_frame = false;
  const std::byte* program = nullptr;
  const std::byte* program_end = nullptr;
};

/// Length word of an entry. @return its end, or nullptr.
const std::byte* entry_end(Cursor& cursor) {
  std::uint64_t length = cursor.fixed<std::uint32_t>();
  if (length == 0xffffffff)
    length = cursor.fixed<std::uint64_t>();
  Cursor end = cursor;
  end.skip(length);
  return end.ok() && length != 0 ? end.at() : nullptr;
}

bool read_augmentation(Cursor& cursor, const char* letters, Cie& cie) {
  const std::uint64_t length = cursor.uleb();
  Cursor after = cursor;
  after.skip(length);
  for (const char* letter = letters + 1; *letter != '\0'; ++letter) {
    switch (*letter) {
      case 'R':
        cie.pointer_encoding = cursor.fixed<std::uint8_t>();
        break;
      case 'L':
        cursor.skip(1);
        break;
      case 'P':
        cursor.pointer(cursor.fixed<std::uint8_t>() & 0x7fU, nullptr);
        break;
      case 'S':
        cie.signal_frame = true;
        break;
      case 'B':
        break;
      default:
        return false;
    }
  }
  cursor = after;
  return cursor.ok();
}

bool read_cie(Cursor cursor, Cie& cie) {
  cie.program_end = entry_end(cursor);
  if (cie.program_end == nullptr || cursor.fixed<std::uint32_t>() != 0)
    return false;
  const auto version = cursor.fixed<std::uint8_t>();
  const auto* letters = reinterpret_cast<const char*>(cursor.at());
  while (cursor.ok() && cursor.fixed<std::uint8_t>() != 0) {
  }
  cie.code_alignment = cursor.uleb();
  cie.data_alignment = cursor.sleb();
  const std::uint64_t return_register = version == 1 ? cursor.fixed<std::uint8_t>() : cursor.uleb();
  if (!cursor.ok() || return_register != kReturnAddress)
    return false;
  if (letters[0] == 'z') {
    cie.has_augmentation = true;
    if (!read_augmentation(cursor, letters, cie))
      return false;
  } else if (letters[0] != '\0') {
    return false;
  }
  cie.program = cursor.at();
  return true;
}

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

/// The unwind entry of one function.
struct Entry {
  Cie cie;
  std::uint64_t begin = 0;  ///< Of the function.
  const std::byte* program = nullptr;
  const std::byte* program_end = nullptr;
};

/// @return false when no entry covers `address`, or the one that does cannot be read.
bool find_entry(const UnwindTables& tables, std::uint64_t address, Entry& entry) {
  if (tables.eh_frame_header == nullptr)
    return false;
  const std::byte* fde = find_fde(tables, address);
  if (fde == nullptr)
    return false;
  Cursor cursor(fde, tables.map_begin, tables.map_end);
  entry.program_end = entry_end(cursor);
  const std::byte* cie_field = cursor.at();
  const auto cie_distance = cursor.fixed<std::uint32_t>();
  if (entry.program_end == nullptr || !read_cie(cursor.from(cie_field - cie_distance), entry.cie))
    return false;
  entry.begin = cursor.pointer(entry.cie.pointer_encoding, nullptr);
  const std::uint64_t range = cursor.pointer(entry.cie.pointer_encoding & 0x0fU, nullptr);
  if (!cursor.ok() || address < entry.begin || address - entry.begin >= range)
    return false;
  if (entry.cie.has_augmentation)
    cursor.skip(cursor.uleb());
  entry.program = cursor.at();
  return cursor.ok();
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
