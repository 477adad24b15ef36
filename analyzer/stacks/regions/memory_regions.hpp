/// Recognises mappings that are regions of an allocator or run-time system inside the program:
/// their stacks show who happened to trigger the mapping, not whose blocks are in it.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <string_view>

namespace tidemark::analyzer {

/// Who fills the mappings of a stack.
struct RegionOwner {
  enum class Kind { kNone, kAllocator, kRunTime };
  Kind kind = Kind::kNone;
  std::string_view name{};  ///< `mimalloc`, `Java`, `V8`, `Go`.
  /// For a run-time system: whose heap it is, and which tool shows the objects in it; empty: none
  /// known.
  std::string_view heap_of{};
  std::string_view teller{};

  friend bool operator==(const RegionOwner&, const RegionOwner&) = default;
};

/// @param stack of an anonymous mapping, of `trace`.
RegionOwner region_owner(const LoadedTrace& trace, trace::StackId stack);

/// Whether both are mappings of one run-time system: copies between them are its garbage collector
/// moving objects, and leave none at the old place.
bool may_collector_move(const LoadedTrace& trace, trace::StackId from, trace::StackId to);

}  // namespace tidemark::analyzer
