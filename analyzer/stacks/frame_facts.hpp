/// Classification of a frame, made once, so that its names are not examined again for each stack.
#pragma once

#include "analyzer/stacks/stack_names.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace tidemark::analyzer {

/// The facts about a frame that the rules of asker_rules.hpp need.
struct FrameFacts {
  std::uint32_t module = 0;  ///< Equal for those of one module; 0: outside of every module.
  bool named = false;
  bool is_python = false;
  PythonOrigin origin = PythonOrigin::kProgram;
  bool is_plumbing = false;
  bool is_of_allocator = false;
  bool is_helper = false;
  bool is_libc = false;
  bool is_start = false;
  bool is_entry = false;
  bool is_unnamed_in_libc = false;
  bool is_call_of_python = false;
  EntryRole role = EntryRole::kNone;

  // As of a NamedFrame.
  friend bool is_allocation_plumbing(const FrameFacts& frame) { return frame.is_plumbing; }
  friend bool is_allocator(const FrameFacts& frame) { return frame.is_of_allocator; }
  friend bool is_buffer_helper(const FrameFacts& frame) { return frame.is_helper; }
  friend bool is_of_libc(const FrameFacts& frame) { return frame.is_libc; }
  friend bool is_startup(const FrameFacts& frame) { return frame.is_start; }
  friend bool is_entry_point(const FrameFacts& frame) { return frame.is_entry; }
  friend bool is_unnamed_libc(const FrameFacts& frame) { return frame.is_unnamed_in_libc; }
  friend bool is_python_call(const FrameFacts& frame) { return frame.is_call_of_python; }
  friend EntryRole entry_role(const FrameFacts& frame) { return frame.role; }
  friend PythonOrigin python_origin(const FrameFacts& frame) { return frame.origin; }
};

class FrameFactsFinder {
 public:
  /// Modules have the same numbers in all facts of one finder.
  FrameFacts of(const NamedFrame& frame);

 private:
  /// The facts that do not depend on module and file: many calls are calls of one function.
  FrameFacts of_name(const NamedFrame& frame);

  std::unordered_map<std::string, std::uint32_t> modules_{{"", 0}};
  std::unordered_map<std::string, FrameFacts> of_native_;  // By function.
  std::unordered_map<std::string, FrameFacts> of_python_;
};

}  // namespace tidemark::analyzer
