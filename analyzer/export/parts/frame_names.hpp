/// The names that recorded frames read as, each one once.
#pragma once

#include "analyzer/stacks/stack_names.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::exports {

/// What stands for the stack of memory whose stack nobody knows.
constexpr const char* kUnknownStack = "[unknown stack]";

/// What stands for stacks of which each is too small to be shown.
constexpr const char* kSmallerStacks = "(smaller)";

enum class Reading {
  kFunctions,  ///< Calls from any line of a function are one.
  kLines,      ///< The same function in two lines is two names.
};

/// Gives recorded frames dense ids by what they read as. A frame with inlined calls has several.
class FrameNames {
 public:
  /// `definitions` stays borrowed.
  FrameNames(const trace::Definitions& definitions, Reading reading);

  /// The id of kUnknownStack.
  static constexpr std::uint32_t kUnknown = 0;
  /// The id of kSmallerStacks.
  static constexpr std::uint32_t kSmaller = 1;

  /// Innermost function first; borrowed until the next call. Empty for an id outside the table, and
  /// for tidemark's own code in the host.
  const std::vector<std::uint32_t>& of(trace::FrameId frame);
  [[nodiscard]] const analyzer::NamedFrame& operator[](std::uint32_t id) const {
    return names_.at(id);
  }
  /// See analyzer::is_allocation_plumbing.
  [[nodiscard]] bool is_plumbing(std::uint32_t id) const { return is_plumbing_.at(id); }
  [[nodiscard]] const std::vector<analyzer::NamedFrame>& all() const { return names_; }
  [[nodiscard]] const trace::Definitions& definitions() const { return definitions_; }

 private:
  std::uint32_t id_of(analyzer::NamedFrame name);

  const trace::Definitions& definitions_;
  Reading reading_;
  std::vector<analyzer::NamedFrame> names_;
  std::vector<bool> is_plumbing_;  // By id: asked of every stack, so decided once.
  std::unordered_map<std::string, std::uint32_t> ids_;                      // By text.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_frame_;  // By FrameId.
};

}  // namespace tidemark::exports
