/// Stacks by the names of their functions, innermost first.
#pragma once

#include "analyzer/stacks/stack_names.hpp"

#include <random>
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

/// Some hundred stacks of a few functions, many of which begin alike, and every second time with
/// Python among them.
inline trace::Definitions random_stacks(unsigned seed) {
  std::mt19937 random(seed);
  trace::Definitions tables;
  tables.modules.resize(3);
  tables.modules[1].path = "/usr/lib/libc.so.6";
  tables.modules[2].path = "/opt/app";
  const std::vector<std::string> functions{"malloc",
                                           "operator new(unsigned long)",
                                           "std::vector<int>::resize(unsigned long)",
                                           "load",
                                           "main",
                                           "_start",
                                           ""};
  const std::vector<std::string> files{"/usr/lib/python3.11/zipfile.py", "/srv/load.py"};
  const bool has_python = seed % 2 == 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    const bool is_python = has_python && random() % 4 == 0;
    tables.frames.push_back(
        {.module = trace::ModuleId{1 + static_cast<unsigned>(random() % 2)},
         .offset = i,
         .language = is_python ? trace::FrameLanguage::kPython : trace::FrameLanguage::kNative});
    tables.locations.emplace_back();
    for (std::size_t inlined = is_python ? 1 : random() % 3; inlined > 0; --inlined) {
      tables.locations.back().push_back({.function = functions[random() % (seed % 3 == 0 ? 3 : 7)],
                                         .file = is_python ? files[random() % 2] : "",
                                         .line = 7});
    }
  }
  tables.stacks.resize(1);
  for (std::uint32_t i = 1; i < 120; ++i) {
    tables.stacks.push_back({.parent = trace::StackId{i % 60 == 1 ? 0 : i - 1},
                             .frame = trace::FrameId{static_cast<unsigned>(random() % 40)}});
  }
  return tables;
}

}  // namespace tidemark::tests
