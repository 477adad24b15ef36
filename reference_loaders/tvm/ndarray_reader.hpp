#pragma once

#include "reference_loaders/tvm/field_reader.hpp"
#include "reference_loaders/tvm/ndarray.hpp"

#include <string>

namespace tidemark::loaders::tvm {

/// Reads one tensor as TVM does: its head, then the tensor is allocated empty and filled from the
/// stream. Nothing is allocated that the rest of the stream cannot fill.
/// @param part how messages call it: "tensor 'a'".
/// @throws BadInput, std::bad_alloc
NDArray read_ndarray(FieldReader& fields, std::string part);

/// @throws BadInput for a type that no tensor can have.
DataType read_dtype(FieldReader& fields);

}  // namespace tidemark::loaders::tvm
