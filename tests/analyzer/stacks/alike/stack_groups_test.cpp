// Which stacks are one row.
#include "analyzer/stacks/alike/stack_groups.hpp"

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;

namespace {

/// Stacks of python3.11, innermost call first; `load` and `main` are Python, and the functions that
/// begin with `engine` are another module's; `3.12:` before a name says that it is of that Python.
struct Stacks {
  Stacks() {
    tables.modules.resize(4);
    tables.modules[1].path = "/usr/bin/python3.11";
    tables.modules[2].path = "/opt/libengine.so";
    tables.modules[3].path = "/usr/bin/python3.12";
    tables.stacks.resize(1);
  }
  std::size_t number_of(const std::vector<std::string>& calls, std::uint32_t line = 3) {
    return readings.number_of(stack(calls, line));
  }
  trace::StackId stack(const std::vector<std::string>& calls, std::uint32_t line = 3) {
    const std::string other = "3.12:";
    trace::StackId node = trace::kNoStack;
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      const bool is_python = *call == "load" || *call == "main";
      const auto next = static_cast<std::uint32_t>(tables.frames.size());
      const bool is_other = call->starts_with(other);
      const std::uint32_t module = is_other ? 3 : call->starts_with("engine") ? 2 : 1;
      tables.frames.push_back(
          {.module = trace::ModuleId{is_python ? 0 : module},
           .offset = next,
           .language = is_python ? trace::FrameLanguage::kPython : trace::FrameLanguage::kNative});
      tables.locations.push_back({{.function = is_other ? call->substr(other.size()) : *call,
                                   .file = is_python ? "load.py" : "",
                                   .line = is_python ? line : 0}});
      tables.stacks.push_back({.parent = node, .frame = trace::FrameId{next}});
      node = trace::StackId{static_cast<std::uint32_t>(tables.stacks.size() - 1)};
    }
    return node;
  }

  trace::Definitions tables;
  analyzer::StackReadings readings{tables};
};

}  // namespace

TEST_CASE("what CPython calls a line by, the first times and later, makes no two rows",
          "[stack_groups]") {
  Stacks stacks;
  const std::size_t first = stacks.number_of(
      {"engine_read", "_PyObject_MakeTpCall", "load", "_PyEval_Vector", "main", "PyEval_EvalCode"});
  CHECK(stacks.number_of({"engine_read", "cfunction_vectorcall_FASTCALL", "PyObject_Vectorcall",
                          "load", "method_vectorcall", "main", "PyEval_EvalCode"}) == first);

  SECTION("another function of the extension does") {
    CHECK(stacks.number_of({"engine_pack", "_PyObject_MakeTpCall", "load", "_PyEval_Vector", "main",
                            "PyEval_EvalCode"}) != first);
  }
  SECTION("another line does") {
    CHECK(stacks.number_of({"engine_read", "_PyObject_MakeTpCall", "load", "_PyEval_Vector", "main",
                            "PyEval_EvalCode"},
                           4) != first);
  }
  SECTION("a function of the interpreter that calls nothing does") {
    CHECK(stacks.number_of({"engine_read", "list_resize", "load", "_PyEval_Vector", "main",
                            "PyEval_EvalCode"}) != first);
  }
}

TEST_CASE("objects of different kinds that one line makes are rows of their own",
          "[stack_groups]") {
  Stacks stacks;
  CHECK(stacks.number_of({"PyBytes_FromStringAndSize", "load", "PyEval_EvalCode"}) !=
        stacks.number_of({"PyList_New", "load", "PyEval_EvalCode"}));
}

TEST_CASE("of a program without Python every function counts", "[stack_groups]") {
  Stacks stacks;
  CHECK(stacks.number_of({"engine_read", "PyThing_call", "engine_main"}) !=
        stacks.number_of({"engine_read", "engine_main"}));
}

TEST_CASE("what one interpreter calls a line by is left out of its own stacks alone",
          "[stack_groups]") {
  Stacks stacks;
  const std::vector<std::string> outer{"main", "_PyEval_Vector", "_PyObject_MakeTpCall", "main",
                                       "PyEval_EvalCode"};
  const auto inside = [&outer](std::vector<std::string> calls) {
    calls.insert(calls.end(), outer.begin(), outer.end());
    return calls;
  };
  const auto both = stacks.stack(inside({"load", "3.12:_PyEval_Inner", "3.12:PyEval_Inner"}));
  const trace::StackId of_outer{trace::index(both) - 3};
  auto shorter = inside({"load", "3.12:_PyEval_Inner", "3.12:PyEval_Inner"});
  shorter.erase(shorter.end() - 3);

  // The outer one is known by then without its calls; the inner one's interpreter is another.
  const std::size_t outer_number = stacks.readings.number_of(of_outer);
  const std::size_t number = stacks.readings.number_of(both);

  CHECK(stacks.number_of({"main", "_PyEval_Vector", "main", "PyEval_EvalCode"}) == outer_number);
  CHECK(stacks.readings.number_of(of_outer) == outer_number);
  CHECK(stacks.number_of(shorter) != number);
  CHECK(stacks.number_of(inside({"load", "3.12:_PyEval_Inner", "3.12:PyEval_Inner"})) == number);
}
