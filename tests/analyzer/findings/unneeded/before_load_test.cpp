// What stood before the model was opened: its row under the headline, and its finding.

#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/report/report_json.hpp"
#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::Load;

namespace {

/// Imports of 100 MiB, of which `freed` go before the model's 256 MiB come.
analyzer::Report load_after_imports(std::uint64_t freed, bool reads_all = true) {
  Load load;
  const auto scratch = load.block("import_torch", freed);
  load.block("import_torch", 100 * kMiB - freed);
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.wait_ms(10);
  load.trace.release(scratch);
  if (reads_all) {
    load.streamed_tensors();
  } else {
    load.read_whole(load.block("ring", 16 * kMiB));
  }
  return load.report();
}

}  // namespace

TEST_CASE("imports of many places are told by the line of the program that they are for",
          "[anatomy]") {
  Load load;
  const auto [bytes_elsewhere, is_line] = GENERATE(table<std::uint64_t, bool>({
      {30 * kMiB, true},
      {100 * kMiB, false},
  }));
  CAPTURE(bytes_elsewhere);
  for (const std::string package : {"torch", "numpy", "scipy", "pandas"}) {
    load.wait_ms(10);
    load.trace.allocate(
        20 * kMiB,
        load.trace.stack({"malloc", "evaluate",
                          // A class that a package makes of a text, as namedtuple does.
                          package == "numpy" ? "<module> <string>:1" : "exec_module", "evaluate",
                          "<module> /usr/lib/python3/dist-packages/" + package + "/__init__.py:3",
                          "evaluate", "<module> /home/me/load.py:2", "main"}));
  }
  load.block("start", bytes_elsewhere);
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.streamed_tensors();

  const auto found = findings_of(load.report(), FindingKind::kBeforeLoad);

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence,
             Catch::EndsWith(is_line ? "; load.py:2, by what it imports or calls, asked for "
                                       "80.0 MiB of that."
                                     : "; the largest part of that is 100.0 MiB in 1 block of "
                                       "start (loader.cpp:40)."));
}

TEST_CASE("what many places asked for before the load is told by library and program",
          "[anatomy]") {
  Load load;
  load.wait_ms(10);
  for (int i = 0; i < 40; ++i) {
    load.block("table_" + std::to_string(i), kMiB);
  }
  load.block("large", 8 * kMiB);
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.streamed_tensors();

  const auto found = findings_of(load.report(), FindingKind::kBeforeLoad);

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence, Catch::EndsWith("; loader asked for 48.0 MiB of that."));
}

TEST_CASE("one large block before the load is told, whatever line it was asked for", "[anatomy]") {
  Load load;
  load.wait_ms(10);
  load.trace.allocate(
      80 * kMiB, load.trace.stack({"malloc", "evaluate", "<module> /home/me/load.py:2", "main"}));
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.streamed_tensors();

  const auto found = findings_of(load.report(), FindingKind::kBeforeLoad);

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence, Catch::EndsWith("; the largest part of that is 80.0 MiB in 1 block "
                                                "of <module> (load.py:2)."));
}

TEST_CASE("what stood before the load is a part of the headline's sum", "[anatomy]") {
  const auto report = load_after_imports(10 * kMiB);

  REQUIRE(report.before_load);
  CHECK(report.before_load->stood_bytes == 100 * kMiB);
  CHECK(report.before_load->at_peak_bytes == 90 * kMiB);
  const std::string sum = "346.0 MiB = 256.0 MiB of W + 90.0 MiB before the load began + 0 B";
  CHECK(analyzer::peak_sum_of(report) == sum);
  CHECK_THAT(analyzer::report_text(report, {}), Catch::Contains("\n " + sum));
  CHECK_THAT(analyzer::report_markdown(report), Catch::Contains(sum));
  const auto json = nlohmann::json::parse(analyzer::report_json(report));
  CHECK(json["before_load"]["at_peak_bytes"] == 90 * kMiB);
}

TEST_CASE("what stood before a file is told by its name where only its size speaks for it",
          "[anatomy]") {
  Load load;
  const trace::FileId data = load.trace.file("/data/noise", 64 * kMiB);
  load.block("import_numpy", 100 * kMiB);
  load.wait_ms(10);
  load.trace.open_file(data);
  load.trace.read_into(data, 64 * kMiB, load.block("fromfile", 64 * kMiB));
  const auto report = load.report(64 * kMiB);
  CHECK(report.model.bytes == 64 * kMiB);
  const auto found = findings_of(report, FindingKind::kBeforeLoad);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence,
             Catch::StartsWith("100.0 MiB of the peak stood before noise was first opened, at "));
  CHECK(report.anatomy.is_unexplained);  // It may be what the peak is about.
}

TEST_CASE("a load of less than the model is told beside what stood before", "[anatomy]") {
  CHECK(analyzer::peak_sum_of(load_after_imports(10 * kMiB, false)) ==
        "106.0 MiB = 90.0 MiB before the load began + 16.0 MiB since, 0.06 x W");
}

TEST_CASE("of weights that are mapped alone nothing is in the sum", "[anatomy]") {
  Load load;
  load.block("import_torch", 100 * kMiB);
  load.wait_ms(10);
  load.trace.open_file(load.model);
  const auto mapping = load.trace.map(load.model, tests::kModelBytes);
  SECTION("whatever came besides") {
    load.block("cache", 300 * kMiB);
    CHECK(analyzer::peak_sum_of(load.report()) ==
          "400.0 MiB = 100.0 MiB before the load began + 300.0 MiB since, 1.17 x W");
  }
  SECTION("but what was copied out of the mapping") {
    load.tensors_from(mapping);
    CHECK(analyzer::peak_sum_of(load.report()) ==
          "356.0 MiB = 256.0 MiB of W + 100.0 MiB before the load began + 0 B");
  }
}

TEST_CASE("what stood before the load is a finding, and explains no peak away", "[anatomy]") {
  const auto report = load_after_imports(10 * kMiB);
  const auto found = findings_of(report, FindingKind::kBeforeLoad);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 90 * kMiB);
  CHECK_FALSE(found[0].peak_without_bytes);
  CHECK_THAT(
      found[0].sentence,
      Catch::Contains("90.0 MiB of the peak stood before the model was first opened") &&
          Catch::Contains("the largest part of that is 90.0 MiB in 1 block of import_torch"));
  CHECK(analyzer::unexplained_text(report).empty());
}

TEST_CASE("a buffer that was there for the load to read into did not stand before it",
          "[anatomy]") {
  Load load;
  const auto buffer = load.block("preallocate", tests::kModelBytes);
  load.block("import_torch", 100 * kMiB);
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.wait_ms(10);
  const std::uint64_t part = GENERATE(1U, 4U);  // Of the buffer, read into it.
  load.trace.read_into(load.model, tests::kModelBytes / part, buffer);
  if (part != 1) {
    load.trace.read_into(load.model, tests::kModelBytes, load.block("rest", tests::kModelBytes));
  }
  load.block("state", kMiB);

  const auto report = load.report();
  REQUIRE(report.before_load);
  CHECK(report.before_load->at_peak_bytes ==
        (part == 1 ? 100 * kMiB : 100 * kMiB + tests::kModelBytes));
  const auto found = findings_of(report, FindingKind::kBeforeLoad);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence,
             Catch::Contains(part == 1 ? "block of import_torch" : "block of preallocate"));
  CHECK((found[0].sentence.find(
             " 256.0 MiB in blocks that were there for its values are not counted.") !=
         std::string::npos) == (part == 1));
}

TEST_CASE("blocks that were there for the model's values did not stand before the load",
          "[anatomy]") {
  // A module is made with its parameters, and a state dict is copied into them.
  Load load;
  load.block("import_torch", 100 * kMiB);
  std::vector<std::uint64_t> parameters;
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    load.trace.tensor(load.model, tests::kTensorBytes / 4, tests::kTensorBytes,
                      "layer." + std::to_string(i));
    parameters.push_back(load.block("Linear", tests::kTensorBytes));
  }
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.streamed_tensors();
  const auto other = load.trace.file("/models/other.gguf", kMiB);
  const bool is_of_model = GENERATE(true, false);
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    load.trace.match(parameters[i], is_of_model ? load.model : other, i * tests::kTensorBytes, "");
  }

  const auto report = load.report();

  REQUIRE(report.before_load);
  CHECK(report.before_load->at_peak_bytes == 100 * kMiB + (is_of_model ? 0 : tests::kModelBytes));
}

TEST_CASE("parameters that were made for the load did not stand before it, however many were seen",
          "[anatomy]") {
  const std::uint64_t seen = GENERATE(0U, 1U, 3U, 4U);
  const bool have_models_size = GENERATE(true, false);
  CAPTURE(seen, have_models_size);
  const std::uint64_t count = have_models_size ? tests::kTensors : 12;
  Load load;
  load.block("import_torch", 100 * kMiB);
  std::vector<std::uint64_t> parameters;
  const trace::StackId linear = load.trace.stack({"malloc", "Linear loader.cpp:40", "main"});
  for (std::uint64_t i = 0; i < count; ++i) {
    parameters.push_back(load.trace.allocate(tests::kTensorBytes, linear));
  }
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.streamed_tensors();
  for (std::uint64_t i = 0; i < seen; ++i) {
    load.trace.as_in_file(parameters[i], load.model, i * tests::kTensorBytes);
  }

  const auto report = load.report();

  REQUIRE(report.before_load);
  const bool are_all = have_models_size ? seen != 0 : seen == 4;
  CHECK(report.before_load->at_peak_bytes ==
        100 * kMiB + (are_all ? 0 : (count - seen) * tests::kTensorBytes));
}

TEST_CASE("what had gone by the peak is no part of what stood", "[anatomy]") {
  Load load;
  const auto scratch = load.block("scratch", 68 * kMiB);
  load.block("table", 30 * kMiB);
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.wait_ms(10);
  load.trace.release(scratch);
  load.block("scratch", 20 * kMiB);
  load.streamed_tensors();
  const auto found = findings_of(load.report(), FindingKind::kBeforeLoad);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 30 * kMiB);
  CHECK_THAT(found[0].sentence,
             Catch::Contains("the largest part of that is 30.0 MiB in 1 block of table"));
}

TEST_CASE("of a mapping that is touched further what stood is what was touched before",
          "[anatomy]") {
  Load load;
  const auto heap = load.block("commit", 60 * kMiB, trace::Lane::kAnon);
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.wait_ms(10);
  load.trace.grow(heap, 300 * kMiB);
  load.streamed_tensors();
  const auto found = findings_of(load.report(), FindingKind::kBeforeLoad);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 60 * kMiB);
  CHECK_THAT(found[0].sentence, Catch::Contains("the largest part of that is 60.0 MiB in 1 block"));
}

TEST_CASE("little that stood before, and a model whose opening was not seen, say nothing",
          "[anatomy]") {
  Load little;
  little.block("import", 2 * kMiB);
  little.trace.open_file(little.model);
  little.streamed_tensors();
  CHECK_FALSE(little.report().before_load);

  Load unopened;
  unopened.block("import", 100 * kMiB);
  unopened.streamed_tensors();
  const auto report = unopened.report();
  CHECK_FALSE(report.before_load);
  CHECK(analyzer::peak_sum_of(report).empty());
  CHECK(findings_of(report, FindingKind::kBeforeLoad).empty());
}
