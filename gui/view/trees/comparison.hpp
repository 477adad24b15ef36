/// What two traces hold, stack by stack, each at its own instant.
#pragma once

#include "gui/view/trees/named_stacks.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

struct ComparisonRow {
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
  bool is_similar = false;  ///< Mostly the same callers, not all of them.
  std::string name;         ///< The asking function; as it is after, or was before when it went.
  std::string place;
  std::vector<std::string> callers;  ///< Innermost first.

  [[nodiscard]] std::int64_t change() const {
    return static_cast<std::int64_t>(after_bytes) - static_cast<std::int64_t>(before_bytes);
  }
};

/// Each stack of either side is in exactly one row; most changed first. See stack_match for which
/// are the same.
std::vector<ComparisonRow> compare(const NamedStacks& before, const NamedStacks& after);

}  // namespace tidemark::gui
