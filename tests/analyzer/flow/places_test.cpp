// One place of a program is told from the next, also inside one line of Python.
#include "analyzer/flow/places.hpp"

#include "tests/analyzer/stacks/named_stacks.hpp"
#include "tests/support/catch.hpp"

#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace tidemark;
using analyzer::NamedFrame;

namespace {

constexpr std::uint32_t kInterpreter = 1;
constexpr std::uint32_t kExtension = 2;

struct Call {
  std::string function;  ///< Of Python where `module` is 0.
  std::uint32_t module = 0;
};

/// A trace's tables with stacks, innermost call first. What has no name has a place of its own.
class Stacks {
 public:
  Stacks() {
    tables.modules.resize(3);
    tables.modules[kInterpreter].path = "/usr/bin/python3.11";
    tables.modules[kExtension].path = "/opt/engine/libengine.so.3";
    tables.stacks.resize(1);
  }
  trace::StackId add(const std::vector<Call>& calls) {
    trace::StackId node = trace::kNoStack;
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      const bool is_python = call->module == 0;
      const auto next = static_cast<std::uint32_t>(tables.frames.size());
      tables.frames.push_back(
          {.module = trace::ModuleId{call->module},
           .offset = next,
           .language = is_python ? trace::FrameLanguage::kPython : trace::FrameLanguage::kNative});
      tables.locations.push_back({{.function = call->function,
                                   .file = is_python ? "/srv/load.py" : "",
                                   .line = is_python ? 2U : 0U}});
      tables.stacks.push_back({.parent = node, .frame = trace::FrameId{next}});
      node = trace::StackId{static_cast<std::uint32_t>(tables.stacks.size() - 1)};
    }
    return node;
  }
  /// Called by line 2 of load.py, which the interpreter's own functions lead to.
  trace::StackId add_inside_python(std::vector<Call> calls) {
    for (Call call : {Call{"cfunction_call", kInterpreter}, Call{"<module>"},
                      Call{"PyEval_EvalCode", kInterpreter}, Call{"main", kInterpreter}}) {
      calls.push_back(std::move(call));
    }
    return add(calls);
  }

  trace::Definitions tables;
};

}  // namespace

TEST_CASE("a line of Python is a place for each native function that asks inside of it",
          "[places]") {
  Stacks stacks;
  const auto read = stacks.add_inside_python(
      {{"malloc", kExtension}, {"Storage::reserve", kExtension}, {"Model::read", kExtension}});
  const auto again = stacks.add_inside_python({{"engine_alloc", kExtension},
                                               {"Model::read", kExtension},
                                               {"PyObject_Vectorcall", kInterpreter}});
  const auto pack = stacks.add_inside_python({{"malloc", kExtension}, {"pack", kExtension}});
  const auto own = stacks.add_inside_python({{"PyBytes_FromObject", kInterpreter}});
  analyzer::Places places(stacks.tables);

  CHECK(places.of(read) == places.of(again));
  CHECK(places.of(read) != places.of(pack));
  CHECK(places.of(read) != places.of(own));
  CHECK(places.of(pack) != places.of(own));
}

TEST_CASE("a stack has its place whatever others that begin alike have", "[places]") {
  const auto seed = GENERATE(range(1U, 100U));
  CAPTURE(seed);
  trace::Definitions tables = tests::random_stacks(seed);
  std::mt19937 random(seed);
  for (std::uint32_t i = 0; i < 300; ++i) {
    auto outer = trace::StackId{static_cast<unsigned>(random() % tables.stacks.size())};
    for (auto inner = random() % 12; inner > 0; --inner) {
      tables.stacks.push_back(
          {.parent = outer, .frame = trace::FrameId{static_cast<unsigned>(random() % 3)}});
      outer = trace::StackId{static_cast<unsigned>(tables.stacks.size() - 1)};
    }
  }
  analyzer::Places places(tables);
  for (std::uint32_t i = 0; i < tables.stacks.size(); ++i) {
    CAPTURE(i);
    analyzer::Places alone(tables);
    CHECK(places.text(places.of(trace::StackId{i})) == alone.text(alone.of(trace::StackId{i})));
  }
}

TEST_CASE("places that read the same are told by the native function", "[places]") {
  Stacks stacks;
  const auto named = [&](const std::vector<Call>& calls) {
    return analyzer::named_stack(stacks.tables, stacks.add_inside_python(calls));
  };
  const auto read = named({{"malloc", kExtension}, {"Model::read", kExtension}});
  const auto unnamed = named({{"malloc", kExtension}, {"", kExtension}});
  const auto own = named({{"PyBytes_FromObject", kInterpreter}});

  using Texts = std::vector<std::string>;
  CHECK(analyzer::told_places({read, unnamed}) ==
        Texts{"<module> (load.py:2) through Model::read",
              "<module> (load.py:2) through libengine.so.3"});
  CHECK(analyzer::told_places({read, own}) ==
        Texts{"<module> (load.py:2) through Model::read", "<module> (load.py:2)"});
  CHECK(analyzer::told_places({read, read}) ==
        Texts{"<module> (load.py:2)", "<module> (load.py:2)"});
  CHECK(analyzer::told_places({}).empty());
}

TEST_CASE("outside of Python the asking function is the place", "[places]") {
  Stacks stacks;
  const auto stack =
      stacks.add({{"malloc", kExtension}, {"reserve", kExtension}, {"main", kExtension}});
  const auto named = analyzer::named_stack(stacks.tables, stack);

  CHECK(analyzer::native_text(named).empty());
  CHECK(analyzer::told_places({named, named}) == std::vector<std::string>{"reserve", "reserve"});
}

TEST_CASE("a helper of its own library is the place where nothing else asked", "[places]") {
  Stacks stacks;
  const auto named = analyzer::named_stack(
      stacks.tables,
      stacks.add_inside_python({{"malloc", kExtension}, {"Storage::reserve", kExtension}}));
  CHECK(analyzer::native_text(named) == "Storage::reserve");
}
