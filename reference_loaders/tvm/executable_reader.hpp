#pragma once

#include "reference_loaders/tvm/executable.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <string>

namespace tidemark::loaders::tvm {

/// Reads a serialized executable, from the magic number to its end, into all fields but `code`.
///
/// No allocation is larger than a small multiple of the file. Code is read and checked (names,
/// numbers, hashes), but opcodes are not interpreted. Stricter than TVM: names may not appear
/// twice, device and operator indexes must exist, and nothing may follow the code.
/// @param source the file's name, for messages.
/// @param begin where in the file the magic number is: 8, after the string's length.
/// @throws BadInput with the offset of the first field that is wrong.
void read_executable(Stream& stream,
                     const std::string& source,
                     std::uint64_t begin,
                     Executable* executable);

}  // namespace tidemark::loaders::tvm
