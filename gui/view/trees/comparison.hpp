/// What two traces hold, stack by stack, each at its own instant.
#pragma once

#include "gui/view/trees/named_stacks.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

/// A frame as tables and graphs show it.
struct ShownFrame {
  std::string name;     ///< See analyzer::short_name.
  std::string full{};   ///< As the trace has it.
  std::string place{};  ///< See place_text.
  std::string file{};   ///< The whole path of its source; may be empty.
  std::string alone{};  ///< See analyzer::lone_name; empty: the name.
  std::string key{};    ///< See analyzer::lineless_short_name; empty: the name.
};

/// What the line of Python called that asked; of other stacks, and where it asked itself, nothing.
struct ComparedCall {
  std::uint64_t before_bytes = 0;  ///< A part of the row's. So the next.
  std::uint64_t after_bytes = 0;
  std::vector<ShownFrame> frames;  ///< Innermost first; as the row's, as they are after.
};

struct ComparisonRow {
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
  bool is_similar = false;  ///< Mostly the same callers, not all of them.
  /// From the asking function out; as they are after, or were before where the stack went. Empty:
  /// no stack.
  std::vector<ShownFrame> frames;
  std::vector<ComparedCall> called;  ///< They add up to the row; at least one.

  [[nodiscard]] std::string name() const {
    return frames.empty() ? "(no stack)" : frames.front().name;
  }
  [[nodiscard]] std::string place() const { return frames.empty() ? "" : frames.front().place; }

  [[nodiscard]] std::int64_t change() const {
    return static_cast<std::int64_t>(after_bytes) - static_cast<std::int64_t>(before_bytes);
  }
};

/// Each stack of either side is in exactly one row; most changed first. See stack_match for which
/// are the same.
/// Those whose bytes did not change come last.
std::vector<ComparisonRow> compare(const NamedStacks& before, const NamedStacks& after);

}  // namespace tidemark::gui
