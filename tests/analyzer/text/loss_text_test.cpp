#include "analyzer/text/loss_text.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <fstream>
#include <iterator>

using namespace tidemark;
using analyzer::loss_text;
using tests::TraceBuilder;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool has_all_events(analyzer::LoadedTrace& trace) {
  for (std::size_t block = 0; block < trace.blocks().size(); ++block) {
    if (trace.events(block) == nullptr) {
      return false;
    }
  }
  return !trace.blocks().empty() && trace.definitions().session.ended;
}

/// Breaks a block of a finished trace that holds no events.
trace::Loss loss_with_damaged_table(TraceBuilder& trace) {
  const std::string path = trace.finish();
  const std::string whole = bytes_of(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    std::ofstream(path, std::ios::binary) << damaged;
    auto loaded = analyzer::LoadedTrace::open(path);
    if (loaded.ok() && has_all_events(loaded.value()) &&
        loaded.value().loss().blocks_damaged == 1) {
      return loaded.value().loss();
    }
  }
  FAIL("no byte damages a block without events");
  return {};
}

}  // namespace

TEST_CASE("nothing is missing from a whole trace", "[loss_text]") {
  CHECK(loss_text({}) == "nothing");
  CHECK_FALSE(analyzer::loses_anything({}));
}

TEST_CASE("files that were mapped unseen are said by the name of the largest", "[loss_text]") {
  trace::Loss loss{.mapped_unseen_bytes = 5 << 20U};
  loss.mapped_unseen = {{"/m/model.gguf", 5 << 20U, false}};
  CHECK(loss_text(loss) == "5.00 MiB of mappings (model.gguf) that tidemark did not see");
  CHECK(analyzer::loses_anything(loss));
  loss.mapped_unseen_bytes = 6 << 20U;
  CHECK(analyzer::unseen_mappings_text(loss) == "6.00 MiB of mappings (model.gguf and others)");
  loss.reads_unseen_bytes = 2 << 20U;
  CHECK(analyzer::unseen_input_text(loss) ==
        "2.00 MiB of reads and 6.00 MiB of mappings (model.gguf and others)");
  CHECK(loss_text({.unmapped_unseen_bytes = 3 << 20U}) ==
        "the end of 3.00 MiB of mappings, which counted for too long");
}

TEST_CASE("what was still running when the recording ended is a loss", "[loss_text]") {
  const trace::Loss loss{.processes_left = 2};
  CHECK(loss_text(loss) == "what 2 processes that were still running did after the recording");
  CHECK(loss_text({.processes_left = 1}) ==
        "what 1 process that was still running did after the recording");
  CHECK(analyzer::loses_anything(loss));
  CHECK(analyzer::survivors_text({}).empty());
}

TEST_CASE("what may have been written unseen is a loss", "[loss_text]") {
  const trace::Loss loss{.written_unseen_bytes = 24 << 20U};
  CHECK(loss_text(loss) ==
        "up to 24.0 MiB written to mapped files, or by forked processes, right before they went");
  CHECK(analyzer::loses_anything(loss));
  CHECK(analyzer::unseen_writes_text({}).empty());
}

TEST_CASE("damaged blocks of events say how many events", "[loss_text]") {
  CHECK(loss_text({.blocks_damaged = 1, .events_damaged = 1}) == "1 damaged block (1 event)");
  CHECK(loss_text({.blocks_damaged = 2, .events_damaged = 1700}) ==
        "2 damaged blocks (1,700 events)");
}

TEST_CASE("a damaged block without events says what it may have held", "[loss_text]") {
  TraceBuilder trace;
  trace.allocate(100, trace.stack({"malloc", "load loader.cpp:7", "main"}));
  trace.sample(4096);

  CHECK(loss_text(loss_with_damaged_table(trace)) ==
        "1 damaged block without events (of names, files or samples)");
}

TEST_CASE("of a file without its end nobody knows what a damaged block held", "[loss_text]") {
  CHECK(loss_text({.blocks_damaged = 1, .torn = true}) ==
        "the end of the recording, 1 damaged block (it is not known of what)");
}

TEST_CASE("threads that were not recorded are missing for a reason, where it is known",
          "[loss_text]") {
  CHECK(loss_text({.threads_unrecorded = 2}) == "2 whole threads");
  CHECK(loss_text({.threads_unrecorded = 2, .threads_seccomp = 2}) ==
        "2 whole threads (kept out by a seccomp filter)");
  CHECK(loss_text({.threads_unrecorded = 3, .threads_address_space = 1, .threads_too_many = 2}) ==
        "3 whole threads (1 short of address space (ulimit -v), 2 too many at one time)");
}

TEST_CASE("processes that were not recorded are missing for a reason", "[loss_text]") {
  using trace::WhyUnrecorded;
  trace::Session session;
  session.execs_watched = true;
  trace::Loss loss;
  loss.processes_unrecorded = 1;
  CHECK(loss_text(loss) == "1 whole process");
  CHECK(analyzer::unrecorded_lines(session, loss, 5).empty());
  loss.unrecorded = {{7, "./tool -x", WhyUnrecorded::kStatic, 1}};
  CHECK(loss_text(loss) == "1 whole process (statically linked)");
  CHECK(analyzer::unrecorded_lines(session, loss, 5) ==
        std::vector<std::string>{"statically linked, pid 7: ./tool -x"});
  loss.unrecorded[0].most_bytes = 3 << 20U;
  CHECK(analyzer::unrecorded_lines(session, loss, 5) ==
        std::vector<std::string>{"statically linked, pid 7, at most 3.00 MiB: ./tool -x"});
  loss.unrecorded.push_back(loss.unrecorded[0]);
  loss.unrecorded[1].most_bytes = 5 << 20U;
  CHECK(
      analyzer::unrecorded_lines(session, loss, 5) ==
      std::vector<std::string>{"statically linked, 2 processes, each at most 5.00 MiB: ./tool -x"});
  loss.unrecorded[1].most_bytes = 0;
  CHECK(analyzer::unrecorded_lines(session, loss, 5) ==
        std::vector<std::string>{"statically linked, 2 processes: ./tool -x"});
  loss.unrecorded.pop_back();

  loss.processes_unrecorded = 1205;
  loss.unrecorded.push_back({8, "./tool -x", WhyUnrecorded::kStatic, 1});
  loss.unrecorded.push_back({9, "", WhyUnrecorded::kUserNamespace, 1});
  loss.unrecorded.push_back({0, "", WhyUnrecorded::kTooMany, 1202});
  CHECK(loss_text(loss) ==
        "1,205 whole processes (2 statically linked, 1 in a user namespace, 1,202 too many at one "
        "time)");
  CHECK(analyzer::unrecorded_lines(session, loss, 2) ==
        std::vector<std::string>{"statically linked, 2 processes: ./tool -x",
                                 "in a user namespace, pid 9", "1,202 more"});
}

TEST_CASE("where execs were not watched, a list of what is missing says that more may be",
          "[loss_text]") {
  trace::Session session;
  trace::Loss loss;
  CHECK(analyzer::unrecorded_lines(session, loss, 5).empty());
  loss.processes_unrecorded = 1;
  loss.unrecorded = {{7, "./tool", trace::WhyUnrecorded::kStatic, 1}};
  CHECK(analyzer::unrecorded_lines(session, loss, 5) ==
        std::vector<std::string>{
            "statically linked, pid 7: ./tool",
            "perhaps more that had ended before they were seen: execs were not watched"});
}
