#pragma once

#include "reference_loaders/tvm/relax_executable.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <string>

namespace tidemark::loaders::tvm {

/// Reads a whole Relax executable, of version 1 or 2.
///
/// No allocation is larger than a small multiple of the file. Bytecode is read as numbers, checked
/// to lie within its section and not interpreted. Stricter than TVM: a memory scope must be of a
/// constant that exists, and nothing may follow the bytecode.
/// @param source the file's name, for messages.
/// @throws BadInput with the offset of the first field that is wrong.
RelaxExecutable read_relax(Stream& stream, const std::string& source);

}  // namespace tidemark::loaders::tvm
