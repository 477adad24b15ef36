#include "gui/view/trees/stack_readings.hpp"

#include "tests/support/catch.hpp"

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace tidemark;

namespace {

using Read = std::vector<std::tuple<std::string, std::string, std::uint32_t, std::string>>;

/// A tree of stacks of all that the rules look at: allocators, Python's own library and other
/// Python, interpreters, start-up code, Rust's runtime, and frames without a name.
trace::Definitions stacks_of_everything(unsigned seed) {
  std::mt19937 random(seed);
  trace::Definitions tables;
  tables.modules.resize(4);
  tables.modules[1].path = "/usr/lib/libc.so.6";
  tables.modules[2].path = "/usr/bin/python3";
  tables.modules[3].path = "/opt/app";
  const std::vector<std::string> functions{"malloc",
                                           "std::vector<int>::resize(unsigned long)",
                                           "load",
                                           "main",
                                           "_start",
                                           "_PyEval_EvalFrameDefault",
                                           "std::sys::backtrace::__rust_begin_short_backtrace<F>",
                                           "core::ops::function::FnOnce::call_once",
                                           ""};
  const std::vector<std::string> files{"/usr/lib/python3.11/zipfile.py", "/srv/load.py",
                                       "/usr/lib/python3/dist-packages/numpy/core.py"};
  for (std::uint32_t i = 0; i < 60; ++i) {
    const bool is_python = seed % 3 != 0 && random() % 3 == 0;
    tables.frames.push_back(
        {.module = trace::ModuleId{1 + static_cast<unsigned>(random() % 3)},
         .offset = i,
         .language = is_python ? trace::FrameLanguage::kPython : trace::FrameLanguage::kNative});
    tables.locations.emplace_back();
    for (std::size_t inlined = is_python ? 1 : random() % 3; inlined > 0; --inlined) {
      tables.locations.back().push_back({.function = functions[random() % functions.size()],
                                         .file = is_python ? files[random() % files.size()] : "",
                                         .line = 1 + static_cast<unsigned>(random() % 2)});
    }
  }
  tables.stacks.resize(1);
  for (std::uint32_t i = 1; i < 400; ++i) {
    const auto parent = static_cast<std::uint32_t>(random() % 3 == 0 ? random() % i : i - 1);
    tables.stacks.push_back({.parent = trace::StackId{i % 20 == 1 ? 0 : parent},
                             .frame = trace::FrameId{static_cast<unsigned>(random() % 60)}});
  }
  return tables;
}

void append(Read& read, const analyzer::NamedFrame& frame) {
  read.emplace_back(frame.function, frame.file, frame.line, frame.module);
}

}  // namespace

TEST_CASE("a stack reads as its frames that matter, whatever was read before it", "[gui]") {
  const unsigned seed = GENERATE(range(0U, 60U));
  CAPTURE(seed);
  const trace::Definitions tables = stacks_of_everything(seed);
  gui::StackReadings readings(tables);
  std::vector<std::uint32_t> found(tables.stacks.size());
  std::mt19937 random(seed);
  std::vector<std::uint32_t> order(tables.stacks.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::shuffle(order.begin(), order.end(), random);
  for (const std::uint32_t stack : order) {
    found[stack] = readings.of(trace::StackId{stack});
  }

  std::map<Read, std::uint32_t> numbers;
  std::vector<Read> reads(found.size());
  for (std::uint32_t stack = 0; stack < found.size(); ++stack) {
    const auto whole = analyzer::named_stack(tables, trace::StackId{stack});
    if (!whole.empty()) {
      const auto [begin, end] = gui::frames_that_matter(whole);
      for (std::size_t i = begin; i < end; ++i) {
        append(reads[stack], whole[i]);
      }
    }
    CAPTURE(stack);
    CHECK(numbers.try_emplace(reads[stack], found[stack]).first->second == found[stack]);
  }
  std::vector<std::vector<std::uint32_t>> frames;
  for (const std::uint32_t reading : found) {
    frames.push_back(readings.frames_of(reading));
  }
  const auto names = readings.take_frames();
  for (std::size_t stack = 0; stack < found.size(); ++stack) {
    Read read;
    for (const std::uint32_t frame : frames[stack]) {
      append(read, names[frame].name);
    }
    CAPTURE(stack);
    CHECK(read == reads[stack]);
  }
}
