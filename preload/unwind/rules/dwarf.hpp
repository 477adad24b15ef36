/// The numbers of DWARF's call frame instructions and expressions, by the standard's names.
///
/// Source: DWARF 5, section 7.24 (figure 7.24, call frame instructions) and section 7.7.1 (DWARF
/// expressions); DW_CFA_GNU_* and DW_EH_PE_*: LSB Core 5.0, section 10.5. Registers: System V ABI,
/// AMD64, figure 3.36.
#pragma once

#include <cstdint>

namespace tidemark::unwind {

enum DwarfRegister : std::uint8_t {
  kRbx = 3,
  kRbp = 6,
  kRsp = 7,
  kR12 = 12,
  kR15 = 15,
  kReturnAddress = 16,
};

/// The callee-saved registers and the return address. A caller's other registers are lost, and no
/// unwind rule uses them.
constexpr unsigned kKeptRegisters = 8;
/// Index of a register in an array of kKeptRegisters: rbx, rbp, rsp, r12 to r15, return address.
/// @return kKeptRegisters for any other.
constexpr unsigned kept_register(std::uint64_t reg) {
  switch (reg) {
    case kRbx:
      return 0;
    case kRbp:
      return 1;
    case kRsp:
      return 2;
    case kReturnAddress:
      return 7;
    default:
      return reg >= kR12 && reg <= kR15 ? static_cast<unsigned>(reg) - kR12 + 3 : kKeptRegisters;
  }
}

// The first two bits of these are the instruction, the other six its operand.
enum : std::uint8_t {
  DW_CFA_advance_loc = 0x40,
  DW_CFA_offset = 0x80,
  DW_CFA_restore = 0xc0,
};

enum : std::uint8_t {
  DW_CFA_nop = 0x00,
  DW_CFA_set_loc = 0x01,
  DW_CFA_advance_loc1 = 0x02,
  DW_CFA_advance_loc2 = 0x03,
  DW_CFA_advance_loc4 = 0x04,
  DW_CFA_offset_extended = 0x05,
  DW_CFA_restore_extended = 0x06,
  DW_CFA_undefined = 0x07,
  DW_CFA_same_value = 0x08,
  DW_CFA_register = 0x09,
  DW_CFA_remember_state = 0x0a,
  DW_CFA_restore_state = 0x0b,
  DW_CFA_def_cfa = 0x0c,
  DW_CFA_def_cfa_register = 0x0d,
  DW_CFA_def_cfa_offset = 0x0e,
  DW_CFA_def_cfa_expression = 0x0f,
  DW_CFA_expression = 0x10,
  DW_CFA_offset_extended_sf = 0x11,
  DW_CFA_def_cfa_sf = 0x12,
  DW_CFA_def_cfa_offset_sf = 0x13,
  DW_CFA_val_offset = 0x14,
  DW_CFA_val_offset_sf = 0x15,
  DW_CFA_val_expression = 0x16,
  DW_CFA_GNU_args_size = 0x2e,
  DW_CFA_GNU_negative_offset_extended = 0x2f,
};

enum : std::uint8_t {
  DW_OP_addr = 0x03,
  DW_OP_deref = 0x06,
  DW_OP_const1u = 0x08,
  DW_OP_const1s = 0x09,
  DW_OP_const2u = 0x0a,
  DW_OP_const2s = 0x0b,
  DW_OP_const4u = 0x0c,
  DW_OP_const4s = 0x0d,
  DW_OP_const8u = 0x0e,
  DW_OP_const8s = 0x0f,
  DW_OP_constu = 0x10,
  DW_OP_consts = 0x11,
  DW_OP_dup = 0x12,
  DW_OP_drop = 0x13,
  DW_OP_over = 0x14,
  DW_OP_pick = 0x15,
  DW_OP_swap = 0x16,
  DW_OP_rot = 0x17,
  DW_OP_abs = 0x19,
  DW_OP_and = 0x1a,
  DW_OP_minus = 0x1c,
  DW_OP_mul = 0x1e,
  DW_OP_neg = 0x1f,
  DW_OP_not = 0x20,
  DW_OP_or = 0x21,
  DW_OP_plus = 0x22,
  DW_OP_plus_uconst = 0x23,
  DW_OP_shl = 0x24,
  DW_OP_shr = 0x25,
  DW_OP_shra = 0x26,
  DW_OP_xor = 0x27,
  DW_OP_bra = 0x28,
  DW_OP_eq = 0x29,
  DW_OP_ge = 0x2a,
  DW_OP_gt = 0x2b,
  DW_OP_le = 0x2c,
  DW_OP_lt = 0x2d,
  DW_OP_ne = 0x2e,
  DW_OP_skip = 0x2f,
  DW_OP_lit0 = 0x30,
  DW_OP_lit3 = 0x33,
  DW_OP_lit15 = 0x3f,
  DW_OP_lit31 = 0x4f,
  DW_OP_breg0 = 0x70,
  DW_OP_breg6 = DW_OP_breg0 + kRbp,
  DW_OP_breg7 = DW_OP_breg0 + kRsp,
  DW_OP_breg16 = DW_OP_breg0 + kReturnAddress,
  DW_OP_breg31 = 0x8f,
  DW_OP_bregx = 0x92,
  DW_OP_deref_size = 0x94,
  DW_OP_nop = 0x96,
};

// Encoding of a pointer in the unwind tables: the format of its value, and what it is relative to.
// With the highest bit set it points to the actual pointer.
enum : std::uint8_t {
  DW_EH_PE_absptr = 0x00,
  DW_EH_PE_uleb128 = 0x01,
  DW_EH_PE_udata2 = 0x02,
  DW_EH_PE_udata4 = 0x03,
  DW_EH_PE_udata8 = 0x04,
  DW_EH_PE_sleb128 = 0x09,
  DW_EH_PE_sdata2 = 0x0a,
  DW_EH_PE_sdata4 = 0x0b,
  DW_EH_PE_sdata8 = 0x0c,
  DW_EH_PE_pcrel = 0x10,
  DW_EH_PE_datarel = 0x30,
  DW_EH_PE_indirect = 0x80,
};
constexpr std::uint8_t kPointerFormatBits = 0x0f;
constexpr std::uint8_t kPointerBaseBits = 0x70;

}  // namespace tidemark::unwind
