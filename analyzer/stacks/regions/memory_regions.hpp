/// Which mappings are regions that an allocator or a language's run-time system inside the program
/// fills itself: their stacks name who happened to be short of one, not whose blocks are in it.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <string_view>

namespace tidemark::analyzer {

/// Who fills the mappings of a stack.
struct RegionOwner {
  enum class Kind { kNone, kAllocator, kRunTime };
  Kind kind = Kind::kNone;
  std::string_view name{};  ///< `mimalloc`, `Java`, `V8`, `Go`.
  /// Of a run-time system: whose heap it is, and what tells which objects are in it; empty: nothing
  /// that is known.
  std::string_view heap_of{};
  std::string_view teller{};

  friend bool operator==(const RegionOwner&, const RegionOwner&) = default;
};

/// @param stack of an anonymous mapping, of `trace`.
RegionOwner region_owner(const LoadedTrace& trace, trace::StackId stack);

/// Whether both are mappings of one run-time system: what is copied from one to the other, its
/// collector moves, and what is left in the old place is no object any more.
bool may_collector_move(const LoadedTrace& trace, trace::StackId from, trace::StackId to);

}  // namespace tidemark::analyzer
