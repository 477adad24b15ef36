// Runs the built `tidemark check` and `tidemark baseline` as a CI job would.
#include "tests/analyzer/cli/command_run.hpp"
#include "tests/analyzer/html/page_data.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>

using namespace tidemark;
using tests::check_refused;
using tests::contents_of;
using tests::TemporaryFolder;
using tests::tidemark_with;
using tests::TraceBuilder;

namespace {

/// Both sample loads as files, and the streamed one as a baseline.
struct Loads {
  Loads() {
    tests::append_naive_load(naive_);
    tests::append_streamed_load(streamed_);
    streamed_.session.exit_status = 0;  // It asked for too much, and went on without.
    naive = naive_.finish();
    streamed = streamed_.finish();
    baseline = folder.file("B.json");
    REQUIRE(tidemark_with("baseline " + streamed + " -o " + baseline).status == 0);
  }
  TemporaryFolder folder;
  std::string naive;
  std::string streamed;
  std::string baseline;

 private:
  TraceBuilder naive_;
  TraceBuilder streamed_;
};

bool has_python() {
  return std::system("python3 -c '' > /dev/null 2>&1") == 0;
}

/// What Python's own parser finds in a JUnit file: `testcase-name=outcome`, one a line.
std::string outcomes_by_python(const std::string& junit) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("read.py"))
      << "import sys, xml.etree.ElementTree as tree\n"
         "root = tree.parse(sys.argv[1]).getroot()\n"
         "cases = root.findall('./testsuite/testcase')\n"
         "assert root.tag == 'testsuites' and len(cases) == int(root.get('tests'))\n"
         "assert len(root.findall('.//failure')) == int(root.get('failures'))\n"
         "assert len(root.findall('.//error')) == int(root.get('errors'))\n"
         "for case in cases:\n"
         "  print(case.get('name') + '=' + case[0].tag)\n";
  const int status = std::system(
      ("python3 " + folder.file("read.py") + " " + junit + " > " + folder.file("out") + " 2>&1")
          .c_str());
  const std::string out = contents_of(folder.file("out"));
  INFO(out);
  CHECK(status == 0);
  return out;
}

}  // namespace

TEST_CASE("a load within its budgets passes with one line a check", "[cli][gate]") {
  const Loads loads;

  const auto check = tidemark_with("check " + loads.streamed + " --max-peak 6GiB --max-ratio 1.1");

  CHECK(check.status == 0);
  CHECK(check.err.empty());
  CHECK(check.out ==
        "PASS peak 5.01 GiB of at most 6.00 GiB\n"
        "PASS peak 5.01 GiB of at most 5.50 GiB (1.1xW)\n"
        "PASS " +
            loads.streamed + ": 2 checks pass\n");
}

TEST_CASE("a load above a budget ends with status 1 and the stacks", "[cli][gate]") {
  const Loads loads;

  const auto check = tidemark_with("check " + loads.naive + " --max-ratio 1.05");

  CHECK(check.status == 1);
  CHECK_THAT(check.out, Catch::StartsWith("REGRESSION peak 10.0 GiB of at most 5.25 GiB (1.05xW): "
                                          "4.75 GiB too much\n  alive then:\n"));
  CHECK_THAT(check.out, Catch::Contains("read_whole_file  loader.cpp:40"));
}

TEST_CASE("the naive load fails the streamed one's baseline with the right stack", "[cli][gate]") {
  const Loads loads;

  const auto check = tidemark_with("check " + loads.naive + " --baseline " + loads.baseline +
                                   " --junit " + loads.folder.file("junit.xml"));

  CHECK(check.status == 1);
  CHECK_THAT(check.out, Catch::Contains("grew since the baseline:"));
  CHECK_THAT(contents_of(loads.folder.file("junit.xml")),
             Catch::Contains("+5.00 GiB  read_whole_file  loader.cpp:40"));
  CHECK(tidemark_with("check " + loads.streamed + " --baseline " + loads.baseline).status == 0);
}

TEST_CASE("every option makes its check", "[cli][gate]") {
  const Loads loads;
  const std::string json = loads.folder.file("gate.json");

  const auto check = tidemark_with(
      "check " + loads.naive +
      " --max-lane heap=20GiB --max-lane rss_anon=3xW --max-phase read=6GiB" + " --baseline " +
      loads.baseline + " --tolerance 200% --slack 1MiB --lane heap --lane rss --json " + json);

  CHECK(check.status == 0);
  const auto parsed = nlohmann::json::parse(contents_of(json));
  CHECK(parsed.at("verdict") == "pass");
  std::vector<std::string> names;
  for (const auto& one : parsed.at("checks")) {
    names.push_back(one.at("name"));
  }
  CHECK(names == std::vector<std::string>{"heap", "rss_anon ratio", "phase read",
                                          "peak against baseline", "heap against baseline",
                                          "rss against baseline"});
  CHECK(parsed.at("checks").at(3).at("tolerance_percent") == 200);
  CHECK(parsed.at("checks").at(3).at("slack_bytes") == 1048576);
}

TEST_CASE("a policy's checks join those of the command line", "[cli][gate]") {
  const Loads loads;
  std::ofstream(loads.folder.file("policy.json"))
      << "{\"checks\": [ // what the loader promises\n"
         "  {\"name\": \"no second copy\", \"max_ratio\": 1.2},\n"
         "  {\"name\": \"like main\", \"baseline\": \"B.json\"}]}";

  const auto check = tidemark_with("check " + loads.naive + " --max-peak 20GiB --policy " +
                                   loads.folder.file("policy.json"));

  CHECK(check.status == 1);
  CHECK_THAT(check.out, Catch::StartsWith("PASS peak "));
  CHECK_THAT(check.out, Catch::Contains("\nREGRESSION no second copy: peak "));
  CHECK_THAT(check.out, Catch::Contains("\nREGRESSION like main: peak "));
  CHECK_THAT(check.out, Catch::Contains(": 2 regressions in 3 checks\n"));
}

TEST_CASE("a torn trace below its budget ends with status 3, above it with 1", "[cli][gate]") {
  TraceBuilder trace;
  for (int i = 0; i < 1000; ++i) {
    trace.allocate(1000, trace.stack({"malloc", "main"}));
    if (i % 100 == 0) {
      trace.flush();
    }
  }
  const auto path = trace.finish();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);

  const auto below = tidemark_with("check " + path + " --max-peak 1GiB");
  CHECK(below.status == 3);
  CHECK_THAT(below.out, Catch::StartsWith("INCONCLUSIVE peak "));
  CHECK_THAT(below.out, Catch::Contains(": the end of the recording is missing\n"));
  CHECK(tidemark_with("check " + path + " --max-peak 1000B").status == 1);
  CHECK(tidemark_with("check " + path + " --max-peak 1GiB --allow-loss").status == 0);

  const TemporaryFolder folder;
  const auto stored = tidemark_with("baseline " + path + " -o " + folder.file("B.json"));
  CHECK(stored.status == 3);
  CHECK_THAT(stored.err, Catch::Contains("the end of the recording is missing"));
  CHECK_FALSE(std::filesystem::exists(folder.file("B.json")));
  CHECK(tidemark_with("baseline " + path + " --allow-loss -o " + folder.file("B.json")).status ==
        0);
}

TEST_CASE("a load that a signal ended makes no baseline and passes no check", "[cli][gate]") {
  TraceBuilder trace;
  tests::append_streamed_load(trace);
  trace.session.exit_status = 137;
  const auto path = trace.finish();
  const TemporaryFolder folder;
  const std::string stored = folder.file("B.json");

  check_refused(tidemark_with("baseline " + path + " -o " + stored),
                "makes no baseline: SIGKILL (Killed) ended the program, so its load may not have "
                "been whole");
  CHECK_FALSE(std::filesystem::exists(stored));
  CHECK(tidemark_with("baseline " + path + " --allow-loss -o " + stored).status == 0);

  const auto below = tidemark_with("check " + path + " --max-peak 6GiB");
  CHECK(below.status == 3);
  CHECK(below.out ==
        "INCONCLUSIVE peak 5.01 GiB of at most 6.00 GiB: SIGKILL ended the program\n"
        "note: SIGKILL (Killed) ended the program: the load may be incomplete\n"
        "INCONCLUSIVE " +
            path + ": 1 inconclusive in 1 check\n");
  CHECK(tidemark_with("check " + path + " --max-peak 1GiB").status == 1);
  CHECK(tidemark_with("check " + path + " --max-peak 6GiB --allow-loss").status == 0);
}

TEST_CASE("private memory in no lane is told in every output", "[cli][gate]") {
  TraceBuilder trace;
  trace.allocate(1000);
  trace.sample((200U << 20U) + 1000);
  const auto path = trace.finish();
  const TemporaryFolder folder;
  const std::string note =
      "200.0 MiB of private memory is not in this peak, as 200.0 MiB was resident: it had been "
      "freed and stayed resident, or is not attributed to any tracked allocation";

  const auto check =
      tidemark_with("check " + path + " --max-peak 1GiB --json " + folder.file("gate.json"),
                    "GITHUB_STEP_SUMMARY=" + folder.file("summary.md"));

  CHECK(check.status == 0);
  CHECK_THAT(check.out, Catch::Contains("\nnote: " + note + '\n'));
  const auto parsed = nlohmann::json::parse(contents_of(folder.file("gate.json")));
  CHECK(parsed.at("notes") == nlohmann::json{note});
  CHECK_THAT(contents_of(folder.file("summary.md")), Catch::Contains('\n' + note + '\n'));
}

TEST_CASE("Python's parser reads every JUnit file", "[cli][gate]") {
  if (!has_python()) {
    SKIP_TEST("no python3 here");
    return;
  }
  const Loads loads;
  const std::string junit = loads.folder.file("junit.xml");
  std::ofstream(loads.folder.file("policy.json"))
      << R"({"checks": [{"name": "a<b> & \"c\" \u0001\ud83d\ude00 ]]>", "max": "1KiB"},)"
      << R"({"name": "roomy", "max": "1TiB"}]})";

  CHECK(tidemark_with("check " + loads.naive + " --policy " + loads.folder.file("policy.json") +
                      " --junit " + junit)
            .status == 1);

  CHECK(outcomes_by_python(junit) ==
        "a<b> & \"c\" ?\xf0\x9f\x98\x80 ]]>=failure\nroomy=system-out\n");
}

TEST_CASE("GitHub gets annotations when asked, and a summary where it wants one", "[cli][gate]") {
  const Loads loads;
  const std::string summary = loads.folder.file("summary.md");
  std::ofstream(summary) << "before\n";

  const auto check = tidemark_with("check " + loads.naive + " --max-ratio 1.2 --github",
                                   "GITHUB_WORKSPACE=/src GITHUB_STEP_SUMMARY=" + summary);
  const auto quiet = tidemark_with("check " + loads.naive + " --max-ratio 1.2");

  CHECK(check.status == 1);
  CHECK_THAT(check.out, Catch::Contains("\n::error title=tidemark%3A peak ratio,file="));
  CHECK_THAT(contents_of(summary), Catch::StartsWith("before\n### tidemark: "));
  CHECK_THAT(contents_of(summary), Catch::Contains("| regression | peak ratio | 10.0 GiB |"));
  CHECK(quiet.out.find("::error") == std::string::npos);
}

TEST_CASE("a regression leaves a page and a graph beside its trace, and names them",
          "[cli][gate]") {
  const Loads loads;
  const std::string trace = loads.folder.file("load.tmk");
  std::filesystem::copy_file(loads.naive, trace);
  const std::string page = loads.folder.file("load.report.html");
  const std::string graph = loads.folder.file("load.graph.svg");
  const auto left = [&] { return std::filesystem::exists(page) || std::filesystem::exists(graph); };

  CHECK(tidemark_with("check " + trace + " --max-peak 20GiB").status == 0);
  CHECK(tidemark_with("check " + trace + " --max-peak 1GiB --no-page").status == 1);
  CHECK_FALSE(left());

  const auto check =
      tidemark_with("check " + trace + " --max-peak 1GiB --json " + loads.folder.file("gate.json"));
  CHECK(check.status == 1);
  CHECK(check.err.empty());
  CHECK_THAT(check.out, Catch::Contains("\nREGRESSION " + trace +
                                        ": 1 regression in 1 check\n"
                                        "why the peak is as high:\n  ? No finding explains"));
  CHECK_THAT(check.out, Catch::EndsWith("\npage:  " + page + "\ngraph: " + graph + "\n"));
  CHECK_THAT(tests::page_text(contents_of(page)), Catch::Contains("read_whole_file"));
  CHECK_THAT(contents_of(graph), Catch::Contains("<svg "));
  const auto json = nlohmann::json::parse(contents_of(loads.folder.file("gate.json")));
  CHECK(json.at("page") == page);
  CHECK(json.at("graph") == graph);
  CHECK(json.at("why").size() == 3);
}

TEST_CASE("what cannot be left beside a trace is noted, and changes no verdict", "[cli][gate]") {
  const Loads loads;
  const std::string trace = loads.folder.file("load.tmk");
  std::filesystem::copy_file(loads.naive, trace);
  std::filesystem::create_directory(loads.folder.file("load.report.html"));

  const auto check = tidemark_with("check " + trace + " --max-peak 1GiB");

  CHECK(check.status == 1);
  CHECK_THAT(check.out, Catch::Contains("\nnote: " + loads.folder.file("load.report.html") +
                                        " was not left: "));
  CHECK(check.out.find("\npage: ") == std::string::npos);
  CHECK_THAT(check.out, Catch::Contains("\ngraph: " + loads.folder.file("load.graph.svg")));

  // Nor does it take the place of what is read.
  const std::string baseline = loads.folder.file("other.report.html");
  std::filesystem::copy_file(loads.baseline, baseline);
  const std::string other = loads.folder.file("other.tmk");
  std::filesystem::copy_file(loads.naive, other);
  check_refused(tidemark_with("check " + other + " --baseline " + baseline),
                "is read, so it cannot be written");
  CHECK(tidemark_with("check " + other + " --no-page --baseline " + baseline).status == 1);
}

TEST_CASE("a drawing that crashes is one sentence behind the verdict", "[cli][gate]") {
  const Loads loads;
  const std::string trace = loads.folder.file("load.tmk");
  std::filesystem::copy_file(loads.naive, trace);
  const std::string json = loads.folder.file("gate.json");

  const auto check = tidemark_with("check " + trace + " --max-peak 1GiB --json " + json,
                                   "LD_PRELOAD=" TIDEMARK_CRASHING_CAIRO);

  CHECK(check.status == 1);
  CHECK(check.err.empty());
  CHECK_THAT(check.out,
             Catch::Contains("\nREGRESSION " + trace + ": 1 regression in 1 check\nwhy "));
  CHECK_THAT(check.out,
             Catch::Contains("\npage:  " + loads.folder.file("load.report.html") + "\n"));
  CHECK_THAT(check.out, Catch::EndsWith("\nnote: the explanation, with its page and graph, is not "
                                        "whole: it crashed (Aborted)\n"));
  CHECK(nlohmann::json::parse(contents_of(json)).at("notes").size() == 1);
}

TEST_CASE("where memory ends the verdict stands, or nothing does", "[cli][gate]") {
  // What the page says of a real load takes more than the verdict.
  const TemporaryFolder folder;
  const std::string trace = folder.file("load.tmk");
  std::filesystem::copy_file(TIDEMARK_REAL_LOAD, trace);
  std::size_t cut_off = 0;
  for (int kib = 16 << 10; kib <= 80 << 10; kib += 1024) {
    const auto check =
        tests::run_command("ulimit -c 0; ulimit -v " + std::to_string(kib) +
                           "; " TIDEMARK_COMMAND " check " + trace + " --max-peak 1B");
    INFO("with " << kib << " KiB: " << check.status << '\n' << check.out << check.err);
    const bool has_verdict = check.out.find("\nREGRESSION ") != std::string::npos;
    CHECK(has_verdict == (check.status == 1));
    const bool is_cut_off =
        check.out.find(" is not whole: there is not enough memory\n") != std::string::npos;
    cut_off += has_verdict && is_cut_off ? 1U : 0U;
  }
  CHECK(cut_off > 0);
}

TEST_CASE("a pull request gets the curve, or the graph where there is an address", "[cli][gate]") {
  const Loads loads;
  const std::string file = loads.folder.file("comment.md");
  const std::string check = "check " + loads.naive + " --no-page --markdown " + file;

  CHECK(tidemark_with(check + " --max-peak 1GiB").status == 1);
  CHECK_THAT(contents_of(file), Catch::StartsWith("### tidemark: "));
  CHECK_THAT(contents_of(file), Catch::Contains("W 5.00 GiB"));
  CHECK(tidemark_with(check + " --max-peak 1GiB --picture-url 'https://x/a>b c.png'").status == 1);
  CHECK_THAT(contents_of(file),
             Catch::Contains("\n![the footprint over time](<https://x/a%3Eb%20c.png>)\n"));
  CHECK(contents_of(file).find("W 5.00 GiB") == std::string::npos);
  CHECK(tidemark_with(check + " --max-peak 20GiB").status == 0);
  CHECK(contents_of(file).find("why") == std::string::npos);
}

TEST_CASE("an output that cannot be written is said, after the verdict", "[cli][gate]") {
  const Loads loads;

  const auto check = tidemark_with("check " + loads.streamed +
                                   " --max-peak 6GiB --junit /no/such/folder/junit.xml");

  CHECK(check.status == 2);
  CHECK_THAT(check.out, Catch::StartsWith("PASS peak"));
  CHECK_THAT(check.err, Catch::Contains("cannot write /no/such/folder/junit.xml"));
}

TEST_CASE("what cannot be checked gets one sentence and exit status 2", "[cli][gate]") {
  const Loads loads;
  const std::string check = "check " + loads.naive + " ";
  TraceBuilder without_model;
  without_model.allocate(100);
  const std::string plain = without_model.finish();
  std::ofstream(loads.folder.file("other.json")) << R"({"schema": 2, "kind": "tidemark-baseline"})";
  std::ofstream(loads.folder.file("policy.json"))
      << R"({"checks": [{"name": "x", "max_peek": "1GiB"}]})";

  check_refused(tidemark_with("check"), "FILE is required; see tidemark check --help");
  check_refused(tidemark_with("check /no/such.tmk --max-peak 1B"), "/no/such.tmk");
  check_refused(tidemark_with(check), "there is nothing to check");
  check_refused(tidemark_with("check " + plain + " --max-ratio 1.1"), "give --model");
  for (const char* size : {"nan", "-1", "-5MiB", "much"}) {
    check_refused(tidemark_with(check + "--max-peak=" + size), "--max-peak: ");
    check_refused(tidemark_with(check + "--max-ratio=" + size), "--max-ratio: ");
    check_refused(tidemark_with(check + "--max-lane=heap=" + size), "--max-lane: ");
    check_refused(tidemark_with(check + "--max-phase=read=" + size), "--max-phase: ");
  }
  check_refused(tidemark_with(check + "--max-lane heap"), "must have a name and a size");
  check_refused(tidemark_with(check + "--max-lane hepa=1GiB"), "there is no lane 'hepa'");
  check_refused(tidemark_with(check + "--max-phase raed=1GiB"), "it has: deserialize, read");
  check_refused(tidemark_with(check + "--baseline /no/such.json"), "/no/such.json");
  check_refused(tidemark_with(check + "--baseline " + loads.folder.file("other.json")), "schema 2");
  check_refused(tidemark_with(check + "--baseline " + loads.naive), "is no baseline");
  check_refused(tidemark_with(check + "--policy " + loads.folder.file("policy.json")),
                "'max_peek'");
  check_refused(tidemark_with(check + "--max-peak 1B --tolerance 5"), "give --baseline");
  check_refused(tidemark_with(check + "--baseline " + loads.baseline + " --tolerance=-1"),
                "'-1' is no percentage");
  check_refused(tidemark_with(check + "--max-peak 1GiB --max-lane footprint=1GiB"),
                "two checks are called 'peak'");
  check_refused(tidemark_with("baseline " + loads.naive), "--output is required");
  check_refused(tidemark_with("baseline " + loads.naive + " -o /no/such/folder/B.json"),
                "cannot write /no/such/folder/B.json");
}

TEST_CASE("the gate's verbs explain themselves", "[cli][gate]") {
  const auto check = tidemark_with("check --help");
  const auto baseline = tidemark_with("baseline --help");

  CHECK(check.status == 0);
  for (const char* text : {"--max-ratio", "--tolerance", "--junit", "Exit status: 0 pass"}) {
    CHECK_THAT(check.out, Catch::Contains(text));
  }
  CHECK(baseline.status == 0);
  CHECK_THAT(baseline.out, Catch::Contains("3 the trace has loss"));
}
