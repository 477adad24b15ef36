/// A program with the stacks that a test says, frame by frame.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tests {

/// A frame: module, place in it, and name; one without a module is Python's: `load:12`.
struct Step {
  std::string module;
  std::uint64_t offset = 0;
  std::string name;
};

/// A run of a program, as an interpreter, that has the names which its library exports, and no
/// others.
class ProgramOfSteps {
 public:
  /// Innermost first.
  trace::StackId stack(const std::vector<Step>& steps) {
    trace::StackId node = trace::kNoStack;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      node = trace_.writer().add_stack({.parent = node, .frame = frame(*step)});
    }
    return node;
  }
  void map(const std::vector<Step>& steps, std::size_t count, std::uint64_t size = kMiB) {
    const trace::StackId id = stack(steps);
    for (std::size_t i = 0; i < count; ++i) {
      trace_.allocate(size, id, trace::Lane::kAnon);
    }
  }
  void allocate(std::uint64_t size) { trace_.allocate(size, stack({{"python3", 0x900, "load"}})); }

  /// @param model as --model takes it.
  analyzer::Report report(analyzer::FrameChoice choice = analyzer::FrameChoice::kBoth,
                          const std::string& model = {}) {
    auto opened = trace_.open();
    opened.show_frames(choice);
    analyzer::ReportOptions options;
    options.model = model;
    auto report = analyzer::build_report(opened, options);
    REQUIRE(report.ok());
    return std::move(report.value());
  }

 private:
  trace::FrameId frame(const Step& step) {
    const auto known = frames_.find({step.module, step.offset});
    if (known != frames_.end()) {
      return known->second;
    }
    if (!modules_.contains(step.module)) {
      modules_[step.module] = trace_.writer().add_module(
          {.path = "/usr/bin/" + step.module, .build_id = "", .base = 0});
    }
    const auto colon = step.name.rfind(':');
    const bool is_python = step.module.empty();
    const auto id = trace_.writer().add_frame(
        {.module = is_python ? trace::kNoModule : modules_[step.module],
         .offset = step.offset,
         .language = is_python ? trace::FrameLanguage::kPython : trace::FrameLanguage::kNative});
    if (is_python) {
      trace_.writer().set_locations(
          id, {{.function = step.name.substr(0, colon),
                .file = "/home/load.py",
                .line = static_cast<std::uint32_t>(std::stoul(step.name.substr(colon + 1)))}});
    } else if (!step.name.empty()) {
      trace_.writer().set_locations(id, {{.function = step.name, .file = "", .line = 0}});
    }
    frames_[{step.module, step.offset}] = id;
    return id;
  }

  TraceBuilder trace_;
  std::map<std::string, trace::ModuleId> modules_;
  std::map<std::pair<std::string, std::uint64_t>, trace::FrameId> frames_;
};

}  // namespace tidemark::tests
