#include "tests/end_to_end/fixture.hpp"
#include "tests/end_to_end/pythons.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <map>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

class PythonMarks : public EndToEnd {
 protected:
  /// Puts the module that `tidemark marks --python` prints beside a copy of hosts/marks_phases.py.
  /// @return the copy's path.
  std::string a_program_with_marks() {
    const Outcome marks = tidemark({"marks", "--python"});
    REQUIRE(marks.status == 0);
    static_cast<void>(a_file_with(marks.out, "tidemark_marks.py"));
    const std::string program = path("marks_phases.py");
    std::filesystem::copy_file(std::string(TIDEMARK_PYTHON_HOSTS) + "marks_phases.py", program);
    return program;
  }
};

/// What each thread marked, in order: `+begun -ended`.
std::map<trace::ThreadId, std::string> marks_by_thread(const Events& events) {
  std::map<trace::ThreadId, std::string> marks;
  for (const trace::Event& event : events.all()) {
    const bool begins = event.kind == trace::EventKind::kPhaseBegin;
    if (begins || event.kind == trace::EventKind::kPhaseEnd)
      marks[event.thread] +=
          (begins ? '+' : '-') + events.definitions().names.at(event.extra) + ' ';
  }
  return marks;
}

}  // namespace

TEST_CASE_METHOD(PythonMarks, "the Python marks name phases in every way that they offer") {
  const std::string program = a_program_with_marks();
  if (pythons().empty())
    SKIP_TEST("no Python");
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const Outcome alone = run_alone(Words{python, program});
    const Recording recording = record(Words{python, program});

    CHECK(alone.status == 0);
    CHECK(alone.err == "False\n");  // Decorated functions are the functions themselves.
    CHECK(recording.host.status == 0);
    CHECK(recording.host.err == "True\n");
    CHECK(recording.host.out == alone.out);
    CHECK(alone.out.find("the name of a phase is a str, not function") != std::string::npos);
    auto marks = marks_by_thread(recording.events);
    REQUIRE(marks.size() == 2);
    CHECK(marks.begin()->second ==
          "+whole +outer +inner +function -function -inner -outer "
          "+recursion +recursion +recursion -recursion -recursion -recursion "
          "+generator -generator +generator -generator +coroutine -coroutine "
          "+async generator -async generator +async generator -async generator "
          "+method -method +static -static +cached -cached +raises -raises +lambda -lambda -whole "
          "+begun -begun +twice +twice -twice -twice +Fran\xc3\xa7"
          "ais ? -Fran\xc3\xa7"
          "ais ? ");
    CHECK(marks.rbegin()->second == "+thread +function -function -thread ");
    const auto phases = report(recording.trace)["phases"];
    REQUIRE(phases.size() == 23);
    CHECK(phases[0]["name"] == "whole");
  }
}

TEST_CASE_METHOD(PythonMarks, "the Python marks do nothing where there is no ctypes") {
  a_program_with_marks();
  const std::string program = a_file_with(
      "import sys\n"
      "sys.modules['ctypes'] = None\n"
      "import marks_phases\n",
      "program.py");
  for (const std::string& python : pythons()) {
    CAPTURE(python);
    const Recording recording = record(Words{python, program});
    CHECK(recording.host.status == 0);
    CHECK(recording.host.err == "False\n");
    CHECK(marks_by_thread(recording.events).empty());
  }
}
