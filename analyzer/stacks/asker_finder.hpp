/// Who asked for memory, for very many stacks: what a frame is, is found out once for each frame of
/// a trace, and not again for each stack that it is in.
#pragma once

#include "analyzer/stacks/stack_names.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// What the rules of who asked want to know of a frame.
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

  // As of a NamedFrame.
  friend bool is_allocation_plumbing(const FrameFacts& frame) { return frame.is_plumbing; }
  friend bool is_allocator(const FrameFacts& frame) { return frame.is_of_allocator; }
  friend bool is_buffer_helper(const FrameFacts& frame) { return frame.is_helper; }
  friend bool is_of_libc(const FrameFacts& frame) { return frame.is_libc; }
  friend bool is_startup(const FrameFacts& frame) { return frame.is_start; }
  friend bool is_entry_point(const FrameFacts& frame) { return frame.is_entry; }
  friend PythonOrigin python_origin(const FrameFacts& frame) { return frame.origin; }
};

class AskerFinder {
 public:
  /// `definitions` stays borrowed.
  explicit AskerFinder(const trace::Definitions& definitions);

  /// A function of a recorded frame: where calls were inlined, it has several.
  struct Function {
    trace::FrameId frame{0};
    std::uint32_t inlined = 0;

    auto operator<=>(const Function&) const = default;
  };
  struct Found {
    std::optional<Function> asking;  ///< As `asking_frame`; none for an empty stack.
    std::optional<Function> native;  ///< As `native_asker`.

    auto operator<=>(const Found&) const = default;
  };
  Found find(trace::StackId stack);
  /// One that was found.
  [[nodiscard]] NamedFrame named(const Function& function) const;

 private:
  /// Those of a recorded frame in `facts_`.
  struct Stretch {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool is_known = false;
  };
  const Stretch& facts_of(trace::FrameId frame);
  FrameFacts look_at(const NamedFrame& frame);

  const trace::Definitions& definitions_;
  std::vector<Stretch> by_frame_;
  std::vector<FrameFacts> facts_;
  std::unordered_map<std::string, std::uint32_t> modules_{{"", 0}};
  std::vector<FrameFacts> stack_;  ///< The one at hand, and its functions.
  std::vector<Function> functions_;
};

}  // namespace tidemark::analyzer
