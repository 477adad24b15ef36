/// Compares what two traces hold, stack by stack, each at its own instant.
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
  std::string file{};   ///< The full path of its source; may be empty.
  std::string alone{};  ///< See analyzer::lone_name; empty: the name.
  std::string key{};    ///< See analyzer::lineless_short_name; empty: the name.
};

/// What the asking line of Python called; no frames for other stacks, or if the line itself asked.
struct ComparedCall {
  std::uint64_t before_bytes = 0;  ///< This and the next: part of the row's bytes.
  std::uint64_t after_bytes = 0;
  std::vector<ShownFrame> frames;  ///< Innermost first; like the row's, as in `after`.
};

struct ComparisonRow {
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
  bool is_similar = false;  ///< Mostly the same callers, not all of them.
  /// From the asking function outwards, as in `after`, or in `before` if it is only there. Empty:
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

/// Each stack of either side is in exactly one row; see stack_match for which stacks are the same.
/// Most changed first, so unchanged rows come last.
std::vector<ComparisonRow> compare(const NamedStacks& before, const NamedStacks& after);

}  // namespace tidemark::gui
