// Which stacks are one row.
#include "analyzer/stacks/stack_groups.hpp"

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;

namespace {

/// Stacks of python3.11, innermost call first; `load` and `main` are Python, and the functions that
/// begin with `engine` are another module's.
struct Stacks {
  Stacks() {
    tables.modules.resize(3);
    tables.modules[1].path = "/usr/bin/python3.11";
    tables.modules[2].path = "/opt/libengine.so";
    tables.stacks.resize(1);
  }
  std::size_t number_of(const std::vector<std::string>& calls, std::uint32_t line = 3) {
    trace::StackId node = trace::kNoStack;
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      const bool is_python = *call == "load" || *call == "main";
      const auto next = static_cast<std::uint32_t>(tables.frames.size());
      const std::uint32_t module = call->starts_with("engine") ? 2 : 1;
      tables.frames.push_back(
          {.module = trace::ModuleId{is_python ? 0 : module},
           .offset = next,
           .language = is_python ? trace::FrameLanguage::kPython : trace::FrameLanguage::kNative});
      tables.locations.push_back(
          {{.function = *call, .file = is_python ? "load.py" : "", .line = is_python ? line : 0}});
      tables.stacks.push_back({.parent = node, .frame = trace::FrameId{next}});
      node = trace::StackId{static_cast<std::uint32_t>(tables.stacks.size() - 1)};
    }
    return readings.number_of(node);
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
