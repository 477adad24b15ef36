/// Every verb that reads traces, with every fault that can be made.
#include "tests/analyzer/sample_loads.hpp"
#include "tests/faults/scan.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>

using namespace tidemark::faults;

namespace {

constexpr std::size_t kBlocks = 6;  ///< Enough for blocks to be read ahead, on other threads.

/// Two loads, in several blocks of events each, and what `check` wants beside them.
class Inputs {
 public:
  Inputs() {
    tidemark::tests::TraceBuilder before;
    tidemark::tests::append_naive_load(before);
    keep(before, "before.tmk");
    tidemark::tests::TraceBuilder after;
    tidemark::tests::append_streamed_load(after);
    keep(after, "after.tmk");
    std::ofstream(folder_.file("policy.json"))
        << R"({"schema": 1, "checks": [{"name": "copies", "max_ratio": 1.1}]})";
  }

  [[nodiscard]] std::vector<std::string> paths() const {
    return {folder_.file("before.tmk"), folder_.file("after.tmk"), folder_.file("policy.json")};
  }

 private:
  void keep(tidemark::tests::TraceBuilder& trace, const std::string& name) const {
    const auto stack = trace.stack({"malloc", "make_node graph.cpp:12", "main loader.cpp:102"});
    for (std::size_t block = 0; block < kBlocks; ++block) {
      trace.flush();
      trace.allocate(1000 + block, stack);
    }
    std::filesystem::copy_file(trace.finish(), folder_.file(name));
  }

  tidemark::tests::TemporaryFolder folder_;
};

/// A few thousand allocations are too many for every day.
void scan_verb(std::vector<std::string> words,
               std::uint64_t stride = 97,
               const std::vector<FaultKind>& kinds = every_kind(),
               const Judge& judge = judge_reader) {
  const Inputs inputs;
  words.insert(words.begin(), TIDEMARK_COMMAND);
  FaultyProgram program(words, inputs.paths());
  scan(program, kinds, judge, stride);
}

/// Where fonts cannot be read the picture has others; it is whole all the same.
std::vector<std::string> judge_picture(const Run& run, const Run& right) {
  if (run.status != right.status)
    return judge_reader(run, right);
  const std::string& text = run.files.begin()->second;
  const bool is_whole = text.ends_with("</svg>\n") || text.ends_with("IEND\xae\x42\x60\x82");
  return is_whole ? std::vector<std::string>{} : std::vector<std::string>{"half a picture"};
}

/// The lines of a check up to its verdict.
std::string verdict_in(const std::string& out) {
  return out.substr(0, out.find('\n', out.find("\nREGRESSION before.tmk: ") + 1));
}

/// Behind the verdict, what could not be explained is a note, in the files too.
std::vector<std::string> judge_check(const Run& run, const Run& right) {
  if (run.status != right.status || run.out.find("\nnote: ") == std::string::npos)
    return judge_reader(run, right);
  std::vector<std::string> wrong;
  if (verdict_in(run.out) != verdict_in(right.out))
    wrong.emplace_back("another verdict");
  if (!run.err.empty())
    wrong.emplace_back("more than a note");
  if (run.files.size() != right.files.size())
    wrong.emplace_back("a file is missing");
  return wrong;
}

}  // namespace

TEST_CASE("a small report survives every single fault, or says one sentence", "[faults]") {
  FaultyProgram program({TIDEMARK_COMMAND, "report", "tiny.tmk"},
                        {TIDEMARK_TEST_DATA "/trace/tiny.tmk"});
  scan(program, every_kind(), judge_reader);
}

TEST_CASE("report survives faults, or says one sentence", "[faults]") {
  const std::string format = GENERATE("text", "json", "markdown", "html");
  scan_verb({"report", "before.tmk", "--format", format, "-o", "report.out"});
}

TEST_CASE("diff survives faults, or says one sentence", "[faults]") {
  const std::string format = GENERATE("text", "json", "markdown", "html");
  scan_verb({"diff", "before.tmk", "after.tmk", "--format", format, "-o", "diff.out"});
}

TEST_CASE("check survives faults, or says one sentence", "[faults]") {
  // What it leaves beside the trace is `report`'s page and `plot`'s picture, each with a test here;
  // what may become of them behind the verdict, `gate_command_test` tries.
  scan_verb(
      {"check", "before.tmk", "--policy", "policy.json", "--max-phase", "read=1GiB", "--no-page",
       "--junit", "check.xml", "--json", "check.json", "--markdown", "check.md", "--github"},
      97, every_kind(), judge_check);
}

TEST_CASE("baseline survives faults, or says one sentence", "[faults]") {
  scan_verb({"baseline", "before.tmk", "-o", "baseline.json"});
}

TEST_CASE("export survives faults, or says one sentence", "[faults]") {
  const std::string format =
      GENERATE("collapsed", "flamegraph", "speedscope", "pprof", "csv", "perfetto", "massif");
  scan_verb({"export", "before.tmk", "--to", format, "-o", "export.out"});
}

TEST_CASE("plot survives faults, or says one sentence", "[faults]") {
  const std::string name = GENERATE("plot.svg", "plot.png");
  scan_verb({"plot", "before.tmk", "after.tmk", "-o", name}, 997, every_kind_but_malloc(),
            judge_picture);
}

TEST_CASE("help survives faults, or says one sentence", "[faults]") {
  scan_verb({"check", "--help"});
}

TEST_CASE("what the window shows comes, or an error does, whatever fails", "[faults]") {
  const Inputs inputs;
  FaultyProgram program({TIDEMARK_WINDOW_MODEL, "before.tmk", "after.tmk"}, inputs.paths());
  scan(program, every_kind(), judge_reader, 37);
}
