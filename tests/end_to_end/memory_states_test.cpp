// Memory whose size is not what was asked for: shared, given back, never touched, written in place.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

struct State {
  std::string kind;
  std::string lane;
  std::uint64_t mib;  ///< What is in memory at the height of it.
};

class MemoryStates : public EndToEnd {
 protected:
  /// Records a host up to its end; it was looked at while it waited at the height of it.
  nlohmann::json record_state(const std::string& kind) {
    const Words words = host("memory_states", {kind, a_file_of(64 * kMiB, "weights.bin")});
    const auto recorder = start_recording(Command{words, {}, {}, true, {}, {}});
    REQUIRE(recorder->read_line() == "ready");
    REQUIRE(wait_for_looks(*recorder));
    recorder->write_line("go on");
    REQUIRE(recorder->wait().status == 0);
    return report(trace());
  }
};

bool is_within_two_percent(std::uint64_t value, std::uint64_t truth) {
  return std::abs(static_cast<double>(value) / static_cast<double>(truth) - 1) < 0.02;
}

}  // namespace

TEST_CASE_METHOD(MemoryStates, "memory counts what is in it, not what could be") {
  const State state =
      GENERATE(State{"memfd", "shared_bytes", 64}, State{"written_memfds", "shared_bytes", 64},
               State{"shared_anonymous", "shared_bytes", 64},
               State{"shared_by_children", "shared_bytes", 64},
               State{"segment", "shared_bytes", 64}, State{"refused_unmaps", "shared_bytes", 64},
               State{"given_back", "anon_bytes", 320}, State{"unreserved", "anon_bytes", 64},
               State{"written_file", "anon_bytes", 64}, State{"populated_file", "anon_bytes", 64});
  CAPTURE(state.kind);
  const nlohmann::json peak = record_state(state.kind).at("peak");
  CAPTURE(peak.dump());
  CHECK(is_within_two_percent(peak.at("footprint_bytes"), state.mib * kMiB));
  CHECK(is_within_two_percent(peak.at(state.lane), state.mib * kMiB));
}

TEST_CASE_METHOD(MemoryStates,
                 "what was freed between blocks that stay is known to be the heap's") {
  const nlohmann::json recorded = record_state("holes");
  CAPTURE(recorded.at("findings").dump());
  CHECK(recorded.at("peak").at("heap_bytes") >= 64 * kMiB);
  CHECK(recorded.at("peak").at("heap_bytes") < 67 * kMiB);
  CHECK(recorded.at("lane_peaks").at("unexplained_freed_bytes") >= 48 * kMiB);
  const auto kept = std::ranges::find_if(
      recorded.at("findings"),
      [](const nlohmann::json& finding) { return finding.at("kind") == "kept"; });
  REQUIRE(kept != recorded.at("findings").end());
  CHECK(kept->at("bytes") >= 48 * kMiB);
}

TEST_CASE_METHOD(MemoryStates, "a few freed pages between blocks are known to be the heap's, too") {
  const nlohmann::json recorded = record_state("few_holes");
  const nlohmann::json& most = recorded.at("lane_peaks");
  CAPTURE(most.dump());
  CHECK(most.at("unexplained_bytes") < 8 * kMiB);
  CHECK(most.at("unexplained_freed_bytes") >= 5 * kMiB);
}

TEST_CASE_METHOD(MemoryStates,
                 "what was written of a mapped model has its file, and is a finding") {
  const nlohmann::json found = record_state("written_file").at("findings");
  CAPTURE(found.dump());
  const auto written = std::ranges::find_if(
      found, [](const nlohmann::json& finding) { return finding.at("kind") == "copy_on_write"; });
  REQUIRE(written != found.end());
  CHECK(is_within_two_percent(written->at("bytes"), 64 * kMiB));
  CHECK(written->at("peak_without_bytes") < kMiB);
}

TEST_CASE_METHOD(EndToEnd, "segments of another IPC namespace count as ours do") {
  const Words unshare{"/usr/bin/unshare", "-Uri"};
  Words words = unshare;
  words.emplace_back("/bin/true");
  if (run_alone(words).status != 0) {
    SKIP_TEST("no IPC namespace for this user");
    return;
  }
  words = unshare;
  for (const std::string& word : host("memory_states", {"segment", trace()}))
    words.push_back(word);
  const auto recorder = start_recording(Command{words, {}, {}, true, {}, {}});
  REQUIRE(recorder->read_line() == "ready");
  REQUIRE(wait_for_looks(*recorder));
  recorder->write_line("go on");
  REQUIRE(recorder->wait().status == 0);
  const nlohmann::json all = report(trace());
  CAPTURE(all.at("peak").dump(), all.at("loss").dump());
  CHECK(is_within_two_percent(all.at("peak").at("shared_bytes"), 64 * kMiB));
  CHECK(all.at("loss").at("shared_unseen_bytes") == 0);
}

TEST_CASE_METHOD(EndToEnd, "what was written to a mapped file before it went counts or is a loss") {
  const Words words = host("memory_states", {"written_and_gone", a_file_of(64 * kMiB, "weights")});
  REQUIRE(start_recording(Command{words, {}, {}, false, {}, {}})->wait().status == 0);
  const nlohmann::json all = report(trace());
  const std::uint64_t footprint = all.at("peak").at("footprint_bytes");
  CAPTURE(footprint, all.at("loss").dump());
  CHECK(footprint < 65 * kMiB);
  // Less than 1 MiB is not said.
  CHECK(footprint + all.at("loss").at("written_unseen_bytes").get<std::uint64_t>() >= 63 * kMiB);
  CHECK(all.at("loss").at("peak_at_most_bytes") >= 63 * kMiB);
}

TEST_CASE_METHOD(EndToEnd, "what a program only read of a mapped file cannot have been written") {
  // It ends before any look, and all of its pages together are fewer.
  constexpr std::uint64_t kAllItsPages = 8 * kMiB;
  const Words words = host("memory_states", {"read_and_gone", a_file_of(64 * kMiB, "weights")});
  REQUIRE(start_recording(Command{words, {}, {}, false, {}, {}})->wait().status == 0);
  const nlohmann::json all = report(trace());
  CAPTURE(all.at("loss").dump());
  CHECK(all.at("loss").at("written_unseen_bytes") < kAllItsPages);
}

TEST_CASE_METHOD(MemoryStates, "large mappings count what was touched of them") {
  const nlohmann::json peak = record_state("untouched").at("peak");
  CAPTURE(peak.dump());
  CHECK(is_within_two_percent(peak.at("footprint_bytes"), 64 * kMiB));
  CHECK(is_within_two_percent(peak.at("anon_bytes"), 64 * kMiB));
}

TEST_CASE_METHOD(EndToEnd, "what of a block was used is known however soon it goes") {
  const Recording recording =
      record_unchanged(host("memory_states", {"gone_at_once", a_file_of(0, "none")}));
  std::vector<std::uint64_t> blocks;
  std::vector<std::uint64_t> released_ns;
  for (const trace::Event& event : recording.events.all()) {
    if (event.kind == trace::EventKind::kAllocate && event.size == 64 * kMiB)
      blocks.push_back(event.allocation);
    if (event.kind == trace::EventKind::kRelease && event.size == 64 * kMiB)
      released_ns.push_back(event.at_ns);
  }
  REQUIRE(blocks.size() == 2);
  REQUIRE(released_ns.size() == 2);
  // Times of events are whole tenths of a microsecond.
  std::vector<trace::Look> last;
  for (const trace::Look& look : recording.events.definitions().looks) {
    if (look.at_ns / 100 * 100 == released_ns[0] || look.at_ns / 100 * 100 == released_ns[1])
      last.push_back(look);
  }
  // Of the second there is nothing to say: it was used as a whole, unless a look came in between.
  REQUIRE(!last.empty());
  CHECK(last[0].allocation == blocks[0]);
  CHECK(is_within_two_percent(last[0].bytes, 16 * kMiB));
  CHECK((last.size() == 1 || is_within_two_percent(last[1].bytes, 64 * kMiB)));
}

TEST_CASE_METHOD(MemoryStates, "an arena counts what is used of it, whatever goes beside it") {
  const nlohmann::json peak = record_state("arena").at("peak");
  CAPTURE(peak.dump());
  CHECK(peak.at("footprint_bytes") >= 9 * kMiB);
  CHECK(peak.at("footprint_bytes") < 12 * kMiB);
}

TEST_CASE_METHOD(MemoryStates, "a block and the one it is converted into count together") {
  const nlohmann::json peak = record_state("converted").at("peak");
  CAPTURE(peak.dump());
  CHECK(is_within_two_percent(peak.at("footprint_bytes"), 32 * kMiB));
}

TEST_CASE_METHOD(MemoryStates, "pages that a fork shares count once, and what it writes counts") {
  const nlohmann::json peak = record_state("written_by_child").at("peak");
  CAPTURE(peak.dump());
  CHECK(is_within_two_percent(peak.at("footprint_bytes"), 96 * kMiB));
}

TEST_CASE_METHOD(EndToEnd, "what a forked process wrote before it ended counts or is a loss") {
  const std::string state = GENERATE("written_then_exits", "written_then_killed",
                                     "written_then_execs", "written_and_never_waited_for");
  CAPTURE(state);
  REQUIRE(start_recording(Command{host("memory_states", {state}), {}, {}, false, {}, {}})
              ->wait()
              .status == 0);
  const nlohmann::json all = report(trace());
  const std::uint64_t footprint = all.at("peak").at("footprint_bytes");
  CAPTURE(footprint, all.at("loss").dump());
  CHECK(footprint < 130 * kMiB);
  // Less than 4 MiB is not said.
  CHECK(footprint + all.at("loss").at("written_unseen_bytes").get<std::uint64_t>() >= 124 * kMiB);
  CHECK(all.at("loss").at("peak_at_most_bytes") >= 124 * kMiB);
  // No more than it had.
  CHECK(all.at("loss").at("written_unseen_bytes") <= 66 * kMiB);
}

TEST_CASE_METHOD(MemoryStates, "what forked processes keep of freed memory counts once") {
  const nlohmann::json peak = record_state("left_to_children").at("peak");
  CAPTURE(peak.dump());
  CHECK(is_within_two_percent(peak.at("footprint_bytes"), 128 * kMiB));
}

TEST_CASE_METHOD(MemoryStates, "what MADV_FREE gave back is neither footprint nor unexplained") {
  const nlohmann::json lanes = record_state("given_back_lazily").at("lane_peaks");
  CAPTURE(lanes.dump());
  CHECK(is_within_two_percent(lanes.at("anon_bytes"), 256 * kMiB));
  CHECK(lanes.at("rss_anon_bytes") < 264 * kMiB);
  // Where cores are short, looks come behind what is being touched; left by MADV_FREE are 256.
  CHECK(lanes.at("unexplained_bytes") < 128 * kMiB);
}

TEST_CASE_METHOD(MemoryStates, "resident memory has the pages that forks share once, at any time") {
  const nlohmann::json lanes = record_state("read_by_children").at("lane_peaks");
  CAPTURE(lanes.dump());
  CHECK(is_within_two_percent(lanes.at("rss_anon_bytes"), 64 * kMiB));
  // All of the 64 MiB may be there before a look counts them, where cores are short; but each only
  // once.
  CHECK(lanes.at("unexplained_bytes") < 72 * kMiB);
}

TEST_CASE_METHOD(MemoryStates, "resident memory of children is gone when they are") {
  const nlohmann::json lanes = record_state("read_by_generations_of_children").at("lane_peaks");
  CAPTURE(lanes.dump());
  CHECK(is_within_two_percent(lanes.at("rss_anon_bytes"), 64 * kMiB));
}

TEST_CASE_METHOD(MemoryStates, "data of the program itself counts, under its file's name") {
  const auto state = GENERATE(as<std::string>{}, "written_globals", "written_globals_and_no_call");
  CAPTURE(state);
  const nlohmann::json all = record_state(state);
  CHECK(is_within_two_percent(all.at("peak").at("footprint_bytes"), 64 * kMiB));
  const nlohmann::json& largest = all.at("at_peak").at(0);
  CHECK(is_within_two_percent(largest.at("bytes"), 64 * kMiB));
  CHECK(largest.at("stack").at(0).at("function") == "(written data of memory_states)");
}

// The recorder looks at all processes, but at what is new first.
TEST_CASE_METHOD(EndToEnd, "a short life counts what it touched while there is much to look at") {
  const Recording recording = record(host("short_lives_in_a_crowd"));
  REQUIRE(recording.host.status == 0);
  const nlohmann::json processes = report(recording.trace).at("processes");
  std::size_t short_lives = 0;
  for (const auto& process : processes) {
    const std::uint64_t bytes = process.at("peak").at("footprint_bytes");
    CHECK(bytes < 64 * kMiB);
    short_lives += bytes >= 16 * kMiB && bytes < 24 * kMiB ? 1 : 0;
  }
  CHECK(short_lives >= 12);
}

TEST_CASE_METHOD(MemoryStates, "shared memory is never the model") {
  CHECK(record_state("memfd").at("model").at("bytes") == 0);
}

TEST_CASE_METHOD(MemoryStates, "shared memory goes with the last that leads to it") {
  const auto kind = GENERATE(as<std::string>{}, "memfd", "segment", "shared_by_children");
  CAPTURE(kind);
  record_state(kind);
  const auto levels = Events(trace()).levels(trace::Lane::kShared);
  CHECK(levels.size() > 1);
  CHECK(levels.back() == 0);
}
