/// Gives every distinct stack one small number, for all threads of a process, without a lock.
#pragma once

#include <cstdint>

#include "preload/wire/session.hpp"

namespace tidemark::unwind {

/// A process's table in the session's memory. Trivial to copy; threads share the memory behind it.
class StackInterner {
 public:
  StackInterner() = default;
  StackInterner(const wire::SessionMap& session, std::uint32_t process)
      : header_(&session.stack_header(process)),
        nodes_(session.stack_nodes(process)),
        index_(session.stack_index(process)) {}

  /// The node for a call to `address` out of `parent`. Two threads that add the same node at the same
  /// moment may, while the index moves to its next level, get two ids for it: the collector merges.
  /// @return kNoNode when the table is full.
  std::uint32_t intern(std::uint32_t parent, std::uint64_t address) const;

 private:
  std::uint32_t find(std::uint32_t level, std::uint32_t parent, std::uint64_t address) const;
  std::uint32_t add(std::uint32_t parent, std::uint64_t address) const;

  wire::StackTableHeader* header_ = nullptr;
  wire::StackNode* nodes_ = nullptr;
  std::atomic<std::uint32_t>* index_ = nullptr;
};

}  // namespace tidemark::unwind
