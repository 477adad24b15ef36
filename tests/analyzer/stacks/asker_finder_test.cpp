// Who asked, of very many stacks.
#include "analyzer/stacks/asker_finder.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using analyzer::PythonOrigin;

TEST_CASE("what a finder knows of a function by its name holds in any module, file and language",
          "[asker_finder]") {
  analyzer::FrameFactsFinder finder;

  const auto program = finder.of({.function = "main", .file = "", .module = "/opt/app"});
  const auto libc = finder.of({.function = "main", .file = "", .module = "/lib/libc.so.6"});
  const auto package = finder.of(
      {.function = "main", .file = "/x/site-packages/a.py", .module = "", .is_python = true});
  const auto own =
      finder.of({.function = "main", .file = "/x/a.py", .module = "", .is_python = true});

  CHECK(program.is_entry);
  CHECK(libc.is_entry);
  CHECK_FALSE(package.is_entry);
  CHECK(program.module != libc.module);
  CHECK_FALSE(program.is_libc);
  CHECK(libc.is_libc);
  CHECK(package.origin == PythonOrigin::kPackage);
  CHECK(own.origin == PythonOrigin::kProgram);
}

TEST_CASE("a stack that is asked for again has the same asker", "[asker_finder]") {
  tests::TraceBuilder trace;
  const auto load = trace.stack({"malloc", "load loader.cpp:40", "main"});
  const auto other_load = trace.stack({"malloc", "load loader.cpp:40", "again", "main"});
  const auto parse = trace.stack({"malloc", "parse loader.cpp:50", "main"});
  const auto opened = trace.open();
  analyzer::AskerFinder askers(opened.definitions());

  const auto of_load = askers.find(load);
  const auto of_parse = askers.find(parse);
  REQUIRE(of_load.asking);
  CHECK(askers.named(*of_load.asking).function == "load");
  CHECK(askers.find(load) == of_load);
  CHECK(askers.find(parse) == of_parse);
  CHECK(of_load != of_parse);

  // Stacks of one asker have one number.
  CHECK(askers.number_of(load) == askers.number_of(other_load));
  CHECK(askers.number_of(load) != askers.number_of(parse));
  CHECK(std::max(askers.number_of(load), askers.number_of(parse)) == 1);

  CHECK_FALSE(askers.find(trace::kNoStack).asking);
  CHECK_FALSE(askers.find(trace::StackId{1'000'000}).asking);
}
