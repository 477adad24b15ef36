/// `tidemark record` with every fault that can be made: the host notices nothing of it.
#include "tests/analyzer/trace_builder.hpp"
#include "tests/end_to_end/recording.hpp"
#include "tests/faults/scan.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace tidemark;
using namespace tidemark::faults;

namespace {

constexpr int kHostStatus = 7;
constexpr std::uint64_t kHostBytes = 4321;
constexpr std::size_t kManyAllocations = 200'000;

/// What a run left, as a file that can be read.
class Kept {
 public:
  explicit Kept(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  tests::TemporaryFolder folder_;
  std::string path_ = folder_.file("kept.tmk");
};

bool is_sentences(const std::string& text) {
  return text.empty() || (text.starts_with("tidemark: ") && text.ends_with('\n'));
}

/// What is wrong with the trace that stands under its final name.
void judge_trace(const Run& run, const Run& right, std::vector<std::string>& wrong) {
  const Kept kept(run.files.at("host.tmk"));
  const tests::Events events(kept.path());
  const tests::Events all(Kept(right.files.at("host.tmk")).path());
  if (events.loss().torn || !events.session().ended)
    wrong.emplace_back("half a trace under its final name");
  if (events.allocations(kHostBytes) != all.allocations(kHostBytes) && run.err.empty() &&
      !events.loss().hides_memory())
    wrong.emplace_back("allocations are missing, and nobody says so");
}

std::vector<std::string> judge_recorder(const Run& run, const Run& right) {
  std::vector<std::string> wrong;
  const bool has_begun = !run.out.empty();
  if (has_begun && run.out != right.out)
    wrong.emplace_back("the host did not say what it says alone");
  if (!is_sentences(run.err))
    wrong.emplace_back("no sentence on standard error");
  if (run.status == kHostStatus && !has_begun)
    wrong.emplace_back("the host's status, but it did not run");
  if (run.status == 2 && run.err.empty())
    wrong.emplace_back("nobody says what is wrong");
  if (run.status != kHostStatus && run.status != 2)
    wrong.emplace_back("neither the host's status nor 2");
  if (run.status == 2 && run.files.count("host.tmk.incomplete") != 0)
    wrong.emplace_back("a trace of nothing was left behind");
  if (run.status == 2 && has_begun)
    wrong.emplace_back("the host ran, but its status is lost");
  if (std::ranges::any_of(run.orphans, [](int status) { return status != 0; }))
    wrong.emplace_back("the host was left alone");
  if (run.files.count("host.tmk") != 0)
    judge_trace(run, right, wrong);
  else if (run.err.empty())
    wrong.emplace_back("no trace, and nobody says so");
  return wrong;
}

}  // namespace

TEST_CASE("a recording survives faults, or says so, and its host never notices", "[faults]") {
  // What a run looks up is remembered for the next one: that is the faster part.
  const tests::TemporaryFolder folder;
  FaultyProgram program({TIDEMARK_COMMAND, "record", "-q", "-o", "host.tmk", "--", TIDEMARK_HOST},
                        {}, {"XDG_CACHE_HOME=" + folder.file("cache")});
  scan(program, every_kind(), judge_recorder, 41);
}

TEST_CASE("a recording that has to look up every name survives faults", "[faults]") {
  FaultyProgram program({TIDEMARK_COMMAND, "record", "-q", "-o", "host.tmk", "--", TIDEMARK_HOST});
  scan(program, every_kind(), judge_recorder, 601);
}

TEST_CASE("a recorder killed after any of its writes leaves a trace up to there", "[faults]") {
  const tests::TemporaryFolder folder;
  FaultyProgram program({TIDEMARK_COMMAND, "record", "-q", "-o", "host.tmk", "--", TIDEMARK_HOST,
                         std::to_string(kManyAllocations)},
                        {}, {"XDG_CACHE_HOME=" + folder.file("cache")});
  const Run right = program.run({});
  REQUIRE(right.status == kHostStatus);
  std::size_t allocations_before = 0;
  for (std::uint64_t n = 1; n <= right.count(Call::kWrite); ++n) {
    const Run run = program.run(
        {.call = Call::kWrite, .effect = Effect::kDie, .number = n, .error = 0, .lasts = 0});
    CAPTURE(n, run.err, run.files.size());
    if (run.faults == 0)
      break;  // The process that looks names up writes a piece more or less.
    if (run.status == kHostStatus) {
      // It was that one: the recorder goes on, without names.
      CHECK(judge_recorder(run, right).empty());
      continue;
    }
    CHECK(run.status == 128 + SIGKILL);
    CHECK(run.err.empty());
    // The host, if it was there, has ended as it does alone.
    CHECK(run.out == (run.orphans.empty() && run.out.empty() ? "" : right.out));
    // The process that looks names up dies with the recorder.
    CHECK(std::ranges::all_of(run.orphans, [](int status) {
      return status == kHostStatus || status == 0 || status == 128 + SIGKILL;
    }));
    CHECK(run.files.count("host.tmk") == 0);
    REQUIRE(run.files.count("host.tmk.incomplete") == 1);
    const Kept kept(run.files.at("host.tmk.incomplete"));
    const tests::Events events(kept.path());
    // After the last of them only its name is missing.
    const bool is_whole = events.session().ended;
    CHECK(events.loss().torn == !is_whole);
    // Each write adds; none takes away.
    CHECK(events.allocations(kHostBytes) >= allocations_before);
    allocations_before = events.allocations(kHostBytes);
    const tests::Outcome said = tests::run(
        {{TIDEMARK_COMMAND, "report", kept.path()}, {}, {}, false, {}, {}}, folder.file("report"));
    CHECK(said.status == 0);
    CHECK((said.out.find("LOST: the end of the recording") == std::string::npos) == is_whole);
  }
  CHECK(allocations_before == kManyAllocations);
}
