/// Which number each live code object has, for all threads of the process.
///
/// A code object's memory may be freed and become another code object's, at the same address, with
/// strings at the same addresses. So that no frame ever gets the name of one that is gone, the
/// interpreter's own tp_dealloc of code objects is put behind ours, which takes the number away
/// before the memory is given back, and moves `code_epoch`. A frame on a stack keeps its code
/// object alive: as long as the epoch stands, all that was found by the addresses of code objects,
/// and by addresses in them, is true.
#pragma once

#include <atomic>
#include <cstdint>

namespace tidemark::python {

/// Moves when a code object that has a number dies. Starts at 1.
extern constinit std::atomic<std::uint64_t> g_code_epoch;

struct CodeNumber {
  std::uint32_t number = 0;  ///< 0: it has none yet.
  bool is_dying = false;     ///< Its number is not to be remembered.
};
CodeNumber find_code(std::uint64_t code);

/// A number that no code object of this process had before. 0 when there is none left.
std::uint32_t take_code_number();
/// From now on `code`, which is alive, has this number. Where the table is full, or another thread
/// was first, it has none, or that of the other one.
void keep_code_number(std::uint64_t code, std::uint32_t number);

/// No code object has a number any more: the interpreter is gone, and its memory another's.
void forget_all_code();

/// Where the table lies in this process; `bytes` is 0 where there is none.
struct CodeTableMemory {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};
CodeTableMemory code_table_memory();

/// Puts our function in front of the type's tp_dealloc; makes the table.
/// @return false when that cannot be.
bool watch_code_objects(std::uint64_t code_type);

}  // namespace tidemark::python
