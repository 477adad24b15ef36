/// Stacks by the names of their functions, innermost first.
#pragma once

#include "analyzer/stacks/stack_names.hpp"

#include <string>
#include <vector>

namespace tidemark::tests {

inline analyzer::NamedFrame named(const std::string& function) {
  analyzer::NamedFrame frame;
  frame.function = function;
  return frame;
}

inline std::vector<analyzer::NamedFrame> stack_of(const std::vector<std::string>& functions) {
  std::vector<analyzer::NamedFrame> stack;
  for (const auto& function : functions) {
    stack.push_back(named(function));
  }
  return stack;
}

/// `load  /srv/load.py:3` is Python, anything else a function of `module`.
inline std::vector<analyzer::NamedFrame> mixed_stack(
    const std::vector<std::string>& frames, const std::string& module = "/usr/bin/python3") {
  std::vector<analyzer::NamedFrame> stack;
  for (const std::string& text : frames) {
    const std::size_t gap = text.find("  ");
    analyzer::NamedFrame frame = named(text.substr(0, gap));
    frame.module = gap == std::string::npos ? module : std::string();
    if (gap != std::string::npos) {
      frame.is_python = true;
      frame.file = text.substr(gap + 2, text.rfind(':') - gap - 2);
      frame.line = static_cast<std::uint32_t>(std::stoul(text.substr(text.rfind(':') + 1)));
    }
    stack.push_back(frame);
  }
  return stack;
}

}  // namespace tidemark::tests
