/// Recognises, by names of libraries and run-time systems, functions that pass a request for memory
/// on.
#pragma once

#include <string_view>

namespace tidemark::analyzer {

enum class FunctionPart {
  kOther,      ///< Code that may itself ask for memory.
  kAllocator,  ///< An allocator, or what belongs to one.
  kShared,     ///< Code that every module may have a copy of, among its own functions.
};

/// @param name without return type and parameters: `tsl::BFCAllocator::Extend`.
FunctionPart part_of_name(std::string_view name);

}  // namespace tidemark::analyzer
