/// The numbers of live code objects, shared by all threads of the process.
///
/// A code object's memory may be freed and become another code object's, at the same address, with
/// strings at the same addresses. So that no frame gets the name of a dead one, we replace
/// tp_dealloc of code objects by a function that removes the number and advances `g_code_epoch`,
/// then calls the interpreter's own. A frame on a stack keeps its code object alive: while the
/// epoch is unchanged, anything cached by the address of a code object, or by an address inside
/// one, is still true.
#pragma once

#include <atomic>
#include <cstdint>

namespace tidemark::python {

/// Advanced when a numbered code object dies. Starts at 1.
extern constinit std::atomic<std::uint64_t> g_code_epoch;

struct CodeNumber {
  std::uint32_t number = 0;  ///< 0: it has none yet.
  bool is_dying = false;     ///< Do not cache its number.
};
CodeNumber find_code(std::uint64_t code);

/// A number that no code object of this process has had before. 0 when all are used up.
std::uint32_t take_code_number();
/// Assigns this number to `code`, which is alive. If the table is full it gets none; if another
/// thread was first it keeps that thread's number.
void keep_code_number(std::uint64_t code, std::uint32_t number);

/// Drops all numbers: the interpreter was unloaded, and its memory may be reused.
void forget_all_code();

/// Where the table lies in this process; `bytes` is 0 where there is none.
struct CodeTableMemory {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};
CodeTableMemory code_table_memory();

/// Replaces the type's tp_dealloc by our function; allocates the table.
/// @return false when that is not possible.
bool watch_code_objects(std::uint64_t code_type);

}  // namespace tidemark::python
