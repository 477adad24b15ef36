#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/report/report_json.hpp"
#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/analyzer/findings/program_of_steps.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::Step;
using Program = tests::ProgramOfSteps;

namespace {

const Step kArena{"python3", 0x100, ""};
const Step kPool{"python3", 0x110, ""};
const Step kNewDict{"python3", 0x200, "PyDict_New"};
const Step kReady{"python3", 0x300, "Py_InitializeFromConfig"};
const Step kMain{"python3", 0x400, "Py_BytesMain"};
const Step kEvaluator{"python3", 0x500, "_PyEval_EvalFrameDefault"};
const Step kLoad{"", 12, "load:12"};
const Step kNamedArena{"python3", 0x120, "_PyObject_ArenaMmap.lto_priv.0"};

const std::vector<Step> kFirst{kArena, kPool, kNewDict, kReady, kMain};
const std::vector<Step> kLater{kArena, kPool, kEvaluator, kLoad, kMain};

bool is_found(Program& program) {
  return !findings_of(program.report(), FindingKind::kPythonArenas).empty();
}

}  // namespace

TEST_CASE("arenas of small Python objects are told, and how to see into them", "[anatomy]") {
  for (const auto choice : {analyzer::FrameChoice::kBoth, analyzer::FrameChoice::kPython,
                            analyzer::FrameChoice::kNative}) {
    Program program;
    program.map(kFirst, 1);
    program.map(kLater, 63);
    program.allocate(100 * kMiB);

    const auto report = program.report(choice);

    const auto found = findings_of(report, FindingKind::kPythonArenas);
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == 64 * kMiB);
    CHECK_FALSE(found[0].peak_without_bytes);
    const std::string sentence = std::string(
                                     "64.0 MiB of the peak are arenas of Python's small "
                                     "objects") +
                                 (choice == analyzer::FrameChoice::kNative
                                      ? ""
                                      : ", 63.0 MiB of them mapped for load (load.py:12)") +
                                 ": a run with PYTHONMALLOC=malloc shows which lines hold them.";
    CHECK(found[0].sentence == sentence);
    const auto text = analyzer::report_text(report, {.width = 300});
    CHECK_THAT(text, Catch::Contains(sentence));
    CHECK_THAT(analyzer::report_markdown(report), Catch::Contains("PYTHONMALLOC=malloc"));
    CHECK_THAT(analyzer::report_json(report), Catch::Contains("\"python_arenas\""));
  }
}

TEST_CASE("the line that most arenas were mapped for is named", "[anatomy]") {
  const auto sentence_of = [](std::size_t parsing, std::size_t training) {
    Program program;
    program.map(kFirst, 1);
    program.map({kNamedArena, kPool, kEvaluator, {"", 0x810, "parse:7"}, kMain}, parsing);
    program.map({kNamedArena, kPool, kEvaluator, {"", 0x820, "train:9"}, kMain}, training);
    const auto found = findings_of(program.report(), FindingKind::kPythonArenas);
    REQUIRE(found.size() == 1);
    return found[0].sentence;
  };
  CHECK_THAT(sentence_of(40, 23),
             Catch::Contains("small objects, 40.0 MiB of them mapped for parse"));
  CHECK_THAT(sentence_of(31, 31), !Catch::Contains("mapped for"));
}

TEST_CASE("what arenas hold is accounted for, and the rest of a peak is not", "[anatomy]") {
  const auto report_of = [](const std::string& model) {
    Program program;
    program.map(kFirst, 1);
    program.map(kLater, 63);
    program.allocate(100 * kMiB);
    return program.report(analyzer::FrameChoice::kBoth, model);
  };
  const auto explained = report_of("90MiB");
  CHECK(findings_of(explained, FindingKind::kPythonArenas).size() == 1);
  CHECK(analyzer::unexplained_text(explained).empty());

  const auto open = report_of("50MiB");
  CHECK(analyzer::unexplained_text(open) ==
        "No finding explains the rest of this peak. The peak's largest groups:");
  REQUIRE(open.anatomy.groups.size() >= 2);
  CHECK(open.anatomy.groups[0].bytes == 100 * kMiB);
  CHECK(open.anatomy.groups[0].peak_without_bytes == 64 * kMiB);
}

TEST_CASE("an interpreter with names needs no first arena", "[anatomy]") {
  for (const std::uint64_t size : {kMiB / 4, kMiB, 2 * kMiB}) {
    Program program;
    program.map({kNamedArena, kPool, kEvaluator, kLoad, kMain}, 64 * kMiB / size, size);
    CHECK(is_found(program));
  }
}

TEST_CASE("few arenas are not worth a sentence", "[anatomy]") {
  Program small;
  small.map(kFirst, 15);
  CHECK_FALSE(is_found(small));

  Program beside_much;
  beside_much.map(kFirst, 63);
  beside_much.allocate(300 * kMiB);
  CHECK_FALSE(is_found(beside_much));
}

TEST_CASE("other mappings of an arena's size are none", "[anatomy]") {
  const Step mmap_object{"python3", 0x700, ""};
  const Step extension{"mmap.so", 0x100, ""};
  const std::vector<std::vector<Step>> others{
      {mmap_object, kEvaluator, kLoad, kMain},          // built into the interpreter
      {extension, kEvaluator, kLoad, kMain},            // beside it
      {mmap_object, kEvaluator, kLoad, kReady, kMain},  // by code that runs while it is made ready
      {mmap_object, kEvaluator, kReady, kMain},         // the same, without Python frames
      {extension, kNewDict, kReady, kMain},             // by a plugin then
      {mmap_object, kMain},
      {{"other", 0x100, "new_arena"}, {"other", 0x200, "main"}},
  };
  for (std::size_t i = 0; i < others.size(); ++i) {
    CAPTURE(i);
    Program program;
    program.map(kFirst, 1);
    program.map(others[i], 64);
    CHECK_FALSE(is_found(program));
  }
  Program sizes;
  sizes.map(kFirst, 1);
  sizes.map(kLater, 64, kMiB + 4096);
  sizes.map({kNamedArena, kEvaluator, kMain}, 64, kMiB / 64);  // the evaluator's own stack
  CHECK_FALSE(is_found(sizes));
  Program unknown;
  unknown.map({{"python3", 0x100, ""}, {"python3", 0x200, ""}}, 64);
  CHECK_FALSE(is_found(unknown));
}
