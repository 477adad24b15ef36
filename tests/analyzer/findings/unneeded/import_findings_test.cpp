// Modules that are imported while a model is loaded, for and against.

#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kTensorBytes;
using tests::Load;

namespace {

/// A stack of `module`, imported from a line of load.py, perhaps by way of another module.
trace::StackId import_of(Load& load,
                         const std::string& module,
                         int line,
                         const std::string& by_way_of = {}) {
  const std::string import = "_find_and_load <frozen importlib._bootstrap>:1360";
  std::vector<std::string> stack{"malloc", "evaluate", "<module> " + module + ":3", "evaluate",
                                 import};
  if (!by_way_of.empty()) {
    stack.insert(stack.end(), {"evaluate", "<module> " + by_way_of + ":7", "evaluate", import});
  }
  stack.insert(stack.end(),
               {"evaluate", "<module> /home/me/load.py:" + std::to_string(line), "main"});
  return load.trace.stack(stack);
}

/// So many blocks of 1 MiB.
void import_blocks(Load& load, std::uint64_t blocks, trace::StackId stack) {
  for (std::uint64_t i = 0; i < blocks; ++i) {
    load.trace.allocate(kMiB, stack);
  }
}

}  // namespace

TEST_CASE("the program's own packages are told by their folders", "[anatomy]") {
  const std::string file = GENERATE("/home/me/nets/__init__.py", "/home/me/nets.py");
  CAPTURE(file);
  Load load;
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.wait_ms(10);
  import_blocks(load, 60, import_of(load, file, 2));
  load.streamed_tensors();

  const auto found = findings_of(load.report(), FindingKind::kImported);

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence, Catch::EndsWith(", with nets and what it imports, for load.py:2."));
}

TEST_CASE("large blocks of a module may be the weights, converted", "[anatomy]") {
  Load load;
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.streamed_tensors();
  load.trace.allocate(60 * kMiB, import_of(load, "/home/me/nets.py", 2));

  CHECK(findings_of(load.report(), FindingKind::kImported).empty());
}

TEST_CASE("modules that a load imports are told, by their package and the line", "[anatomy]") {
  const auto [json_mib, who] = GENERATE(table<std::uint64_t, std::string>({
      {8, ", 80.0 MiB of that with sklearn and what it imports, 80.0 MiB of that for load.py:2."},
      {4, ", with sklearn and what it imports, for load.py:2."},
      {90, ", 90.0 MiB of that with json and what it imports, 90.0 MiB of that for load.py:3."},
  }));
  Load load;
  import_blocks(load, 8, import_of(load, "/usr/lib/python3.11/csv.py", 1));
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.wait_ms(10);
  const std::string sklearn = "/v/lib/python3.11/site-packages/sklearn/__init__.py";
  import_blocks(load, 20, import_of(load, sklearn, 2));
  import_blocks(
      load, 60,
      import_of(load, "/v/lib/python3.11/site-packages/scipy/linalg/__init__.py", 2, sklearn));
  import_blocks(load, json_mib, import_of(load, "/usr/lib/python3.11/json/decoder.py", 3));
  load.trace.release(load.trace.allocate(kMiB, import_of(load, sklearn, 2)));
  load.streamed_tensors();

  const auto found = findings_of(load.report(), FindingKind::kImported);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == (80 + json_mib) * kMiB);
  CHECK_FALSE(found[0].peak_without_bytes);
  CHECK_THAT(found[0].sentence,
             Catch::EndsWith("came with modules that were imported once the model was open" + who));
}

TEST_CASE("a module that loads the model is no import during the load", "[anatomy]") {
  // It was being imported when it opened the model, or is imported by a file beside the weights.
  const bool began_before = GENERATE(true, false);
  CAPTURE(began_before);
  Load load;
  const auto weights = import_of(load, "/v/lib/python3.11/site-packages/weights/__init__.py", 1);
  if (began_before) {
    load.trace.allocate(64, weights);
  }
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.wait_ms(10);
  import_blocks(load, 60, weights);
  if (began_before) {
    load.streamed_tensors();
  } else {
    for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
      load.wait_ms(10);
      load.trace.read_into(load.model, kTensorBytes, load.trace.allocate(kTensorBytes, weights));
    }
  }

  const auto found = findings_of(load.report(), FindingKind::kImported);
  CHECK(found.empty());
}

TEST_CASE("few imported modules are not told", "[anatomy]") {
  Load load;
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.wait_ms(10);
  import_blocks(load, 8, import_of(load, "/usr/lib/python3.11/csv.py", 1));
  load.streamed_tensors();

  CHECK(findings_of(load.report(), FindingKind::kImported).empty());
}
