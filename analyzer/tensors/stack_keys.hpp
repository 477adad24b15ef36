/// Which stacks lead to one place of the program, for blocks that a loop makes one after the other.
#pragma once

#include "analyzer/flow/places.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Stacks are of one place if their keys are equal. The interpreter of Python goes another way
/// through its own code once a loop is warm: there the asking line and the lines that lead to it
/// decide. A vector goes another way when it grows: elsewhere the lines decide that are no
/// container's or allocator's.
class StackKeys {
 public:
  using Key = std::vector<std::uint32_t>;

  /// `definitions` stays borrowed.
  explicit StackKeys(const trace::Definitions& definitions)
      : definitions_(definitions), places_(definitions) {}

  const Key& of(trace::StackId stack);

 private:
  [[nodiscard]] Key python_lines(trace::StackId stack) const;
  /// If lines are not known: which code was called from where.
  [[nodiscard]] Key native_lines(trace::StackId stack);

  static constexpr std::uint32_t kPython = UINT32_MAX;        // Ends a key with Python frames,
  static constexpr std::uint32_t kPlumbing = UINT32_MAX - 1;  // and that of a stack without others.
  /// Function, file, line, and the frame where there is no line.
  using Line = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>;
  const trace::Definitions& definitions_;
  Places places_;
  std::map<Line, std::uint32_t> lines_;
  std::unordered_map<std::uint32_t, Key> by_stack_;
};

}  // namespace tidemark::analyzer
