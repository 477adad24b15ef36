/// Which functions pass a request for memory on, by the names of libraries and run-time systems.
#pragma once

#include <string_view>

namespace tidemark::analyzer {

enum class FunctionPart {
  kOther,      ///< Whoever may ask for memory.
  kAllocator,  ///< An allocator, or what belongs to one.
  kShared,     ///< Code that every module may have a copy of, among its own functions.
};

/// @param name without return type and parameters: `tsl::BFCAllocator::Extend`.
FunctionPart part_of_name(std::string_view name);

}  // namespace tidemark::analyzer
