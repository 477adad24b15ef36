#include "gui/view/trees/stack_readings.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
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

const analyzer::NamedFrame& name_of(const analyzer::NamedFrame& frame) {
  return frame;
}
const analyzer::NamedFrame& name_of(const gui::StackFrame& frame) {
  return frame.name;
}

/// The frames at `places` of others.
template <typename Place, typename Frame>
Read read_of(const std::vector<Place>& places, const std::vector<Frame>& frames) {
  Read read;
  for (const Place place : places) {
    const analyzer::NamedFrame& frame = name_of(frames[place]);
    read.emplace_back(frame.function, frame.file, frame.line, frame.module);
  }
  return read;
}

using Numbers = std::map<Read, std::uint32_t>;

}  // namespace

TEST_CASE("a stack reads as its frames that matter, whatever was read before it", "[gui]") {
  const unsigned seed = GENERATE(range(0U, 60U));
  CAPTURE(seed);
  const trace::Definitions tables = stacks_of_everything(seed);
  gui::StackReadings readings(tables);
  std::vector<gui::StackReadings::Reading> found(tables.stacks.size());
  std::mt19937 random(seed);
  std::vector<std::uint32_t> order(tables.stacks.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::shuffle(order.begin(), order.end(), random);
  for (const std::uint32_t stack : order) {
    found[stack] = readings.of(trace::StackId{stack});
  }

  Numbers asking;
  Numbers called;
  std::vector<analyzer::Outline<std::uint32_t>> frames;
  for (const gui::StackReadings::Reading reading : found) {
    frames.push_back(readings.frames_of(reading));
  }
  const auto names = readings.take_frames();
  for (std::uint32_t stack = 0; stack < found.size(); ++stack) {
    const auto whole = analyzer::named_stack(tables, trace::StackId{stack});
    const auto outline =
        whole.empty() ? analyzer::Outline<std::size_t>() : analyzer::outline_of(whole);
    const Read wanted_asking = read_of(outline.asking, whole);
    const Read wanted_called = read_of(outline.called, whole);
    CAPTURE(stack);
    CHECK(read_of(frames[stack].asking, names) == wanted_asking);
    CHECK(read_of(frames[stack].called, names) == wanted_called);
    CHECK(asking.try_emplace(wanted_asking, found[stack].asking).first->second ==
          found[stack].asking);
    CHECK(called.try_emplace(wanted_called, found[stack].called).first->second ==
          found[stack].called);
  }
}

namespace {

analyzer::NamedFrame python(const std::string& function, const std::string& file = "/srv/load.py") {
  analyzer::NamedFrame frame;
  frame.function = function;
  frame.file = file;
  frame.is_python = true;
  return frame;
}

analyzer::NamedFrame native(const std::string& function, const std::string& module) {
  analyzer::NamedFrame frame;
  frame.function = function;
  frame.module = module;
  frame.named = !function.empty();
  return frame;
}

const std::string kPython = "/usr/bin/python3";
const std::string kNumpy = "/opt/numpy.so";

std::vector<std::string> names_at(const std::vector<std::size_t>& places,
                                  const std::vector<analyzer::NamedFrame>& stack) {
  std::vector<std::string> names;
  for (const std::size_t place : places) {
    names.push_back(stack[place].function);
  }
  return names;
}

}  // namespace

TEST_CASE("what a line of Python called goes from the extension's function on", "[gui]") {
  const std::vector<analyzer::NamedFrame> stack{native("malloc", "/usr/lib/libc.so.6"),
                                                native("array_new", kNumpy),
                                                native("", kNumpy),
                                                native("array_astype", kNumpy),
                                                native("cfunction_call", kPython),
                                                native("_PyEval_EvalFrameDefault", kPython),
                                                python("convert"),
                                                native("_PyEval_EvalFrameDefault", kPython),
                                                native("_PyFunction_Vectorcall", kPython),
                                                python("main"),
                                                native("_PyEval_EvalFrameDefault", kPython),
                                                native("Py_RunMain", kPython),
                                                native("main", kPython),
                                                native("_start", kPython)};
  const auto outline = analyzer::outline_of(stack);
  CHECK(names_at(outline.called, stack) == std::vector<std::string>{"array_new", "array_astype"});
  CHECK(names_at(outline.asking, stack) == std::vector<std::string>{"convert", "main"});
}

TEST_CASE("what a line of Python called has the lines of Python's own library", "[gui]") {
  std::vector<analyzer::NamedFrame> stack{native("malloc", "/usr/lib/libc.so.6"),
                                          native("PyBytes_FromStringAndSize", kPython),
                                          python("read", "/usr/lib/python3.11/zipfile.py"),
                                          native("_PyEval_EvalFrameDefault", kPython),
                                          python("read", "/usr/lib/python3.11/gzip.py"),
                                          native("_PyEval_EvalFrameDefault", kPython),
                                          python("load"),
                                          native("_PyEval_EvalFrameDefault", kPython),
                                          python("main"),
                                          native("_PyEval_EvalFrameDefault", kPython)};
  const auto outline = analyzer::outline_of(stack);
  CHECK(outline.called == std::vector<std::size_t>{2, 4});
  CHECK(outline.asking == std::vector<std::size_t>{6, 8});
}

TEST_CASE("nothing was called by a line of Python where none asked", "[gui]") {
  const std::vector<analyzer::NamedFrame> stack{
      native("malloc", "/usr/lib/libc.so.6"), native("grow", "/opt/app"),
      native("load", "/opt/app"), native("main", "/opt/app")};
  const auto outline = analyzer::outline_of(stack);
  CHECK(outline.called.empty());
  CHECK(names_at(outline.asking, stack) == std::vector<std::string>{"grow", "load", "main"});
}
