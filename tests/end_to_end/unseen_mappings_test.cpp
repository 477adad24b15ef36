// Mappings that no hook could see: what was missing is said, by its name, and nothing else is.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <csignal>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kFileBytes = 32 * kMiB;

class UnseenMappings : public EndToEnd {
 protected:
  /// Records a host up to its end; each time that it waits it is looked at.
  nlohmann::json record_mapping(const std::string& how, int waits = 1) {
    const Words words = host("maps_unseen", {how, file});
    const auto recorder = start_recording(Command{words, {}, {}, true, {}, {}});
    for (int i = 0; i < waits; ++i) {
      REQUIRE(recorder->read_line() == "ready");
      REQUIRE(wait_for_looks(*recorder));
      recorder->write_line("go on");
    }
    REQUIRE(recorder->wait().status == 0);
    return report(trace());
  }

  std::string file = a_file_of(kFileBytes, "weights.bin");
};

}  // namespace

TEST_CASE_METHOD(UnseenMappings, "a file that was mapped unseen is lost, by its name") {
  const std::string how = GENERATE("file", "over", "in_child", "at_fork");
  CAPTURE(how);
  const nlohmann::json loss = record_mapping(how, how == "in_child" ? 2 : 1).at("loss");
  CAPTURE(loss.dump());
  CHECK(loss.at("mapped_unseen_bytes") == kFileBytes);
  REQUIRE(loss.at("mapped_unseen").size() == 1);
  CHECK(loss.at("mapped_unseen").at(0).at("path") == file);
  CHECK(loss.at("shared_unseen_bytes") == 0);
  CHECK(loss.at("unmapped_unseen_bytes") == 0);
  CHECK(loss.at("hides_memory") == false);
  const Outcome checked = tidemark({"check", trace(), "--max-ratio", "1.1"});
  CHECK(checked.status == 3);
}

TEST_CASE_METHOD(UnseenMappings, "shared memory that was mapped unseen may lift the footprint") {
  const std::string how = GENERATE("memfd", "segment");
  CAPTURE(how);
  const nlohmann::json loss = record_mapping(how).at("loss");
  CAPTURE(loss.dump());
  CHECK(loss.at("shared_unseen_bytes") == 64 * kMiB);
  CHECK(loss.at("hides_memory") == true);
  CHECK(tidemark({"check", trace(), "--max-peak", "60MiB"}).status == 3);
}

TEST_CASE_METHOD(UnseenMappings, "shared memory that is known counts, however it was mapped") {
  const nlohmann::json recorded = record_mapping("known_memfd");
  CAPTURE(recorded.at("loss").dump());
  CHECK(recorded.at("lane_peaks").at("shared_bytes") == 64 * kMiB);
  CHECK(recorded.at("loss").at("shared_unseen_bytes") == 0);
  CHECK(recorded.at("loss").at("hides_memory") == false);
}

TEST_CASE_METHOD(UnseenMappings, "anonymous memory that was mapped unseen counts all the same") {
  const std::string how = GENERATE("anonymous", "opened");
  CAPTURE(how);
  const nlohmann::json all = record_mapping(how);
  CHECK(all.at("peak").at("footprint_bytes") >= 64 * kMiB);
  CHECK(all.at("peak").at("footprint_bytes") <= 68 * kMiB);
  CHECK(tidemark({"check", trace(), "--max-peak", "60MiB"}).status == 1);
  CHECK(tidemark({"report", trace()}).out.find("(mapped by a bare system call)") !=
        std::string::npos);
}

TEST_CASE_METHOD(UnseenMappings,
                 "nothing is mapped unseen where an allocator keeps what was freed") {
  const std::string how = GENERATE("arena", "deep_stack");
  CAPTURE(how);
  const nlohmann::json all = record_mapping(how);
  CAPTURE(all.at("lane_peaks").dump());
  CHECK(all.at("lane_peaks").at("rss_anon_bytes") >= 24 * kMiB);
  CHECK(tidemark({"report", trace()}).out.find("bare system call") == std::string::npos);
}

TEST_CASE_METHOD(UnseenMappings,
                 "anonymous memory that nobody looked at while it was there is, too") {
  const Words words = host("maps_unseen", {"passing", file});
  const auto recorder = start_recording(Command{words, {}, {}, true, {}, {}});
  REQUIRE(recorder->read_line() == "ready");
  recorder->signal(SIGSTOP);
  recorder->write_line("go on");
  REQUIRE(recorder->read_line() == "ready");
  recorder->signal(SIGCONT);
  recorder->write_line("go on");
  REQUIRE(recorder->wait().status == 0);
  const nlohmann::json all = report(trace());
  CAPTURE(all.at("lane_peaks").dump());
  CHECK(all.at("lane_peaks").at("rss_anon_bytes") < 32 * kMiB);  // no sample has it
  // Libraries may have come since the last sample: as much as there were.
  CHECK(all.at("lane_peaks").at("unexplained_bytes") >= 60 * kMiB);
  CHECK(all.at("lane_peaks").at("unexplained_bytes") <= 68 * kMiB);
}

TEST_CASE_METHOD(UnseenMappings, "a mapping that went unseen counts no longer, and that is said") {
  const nlohmann::json all = record_mapping("unmapped");
  CAPTURE(all.at("loss").dump());
  CHECK(all.at("loss").at("unmapped_unseen_bytes") == 64 * kMiB);
  CHECK(all.at("loss").at("mapped_unseen_bytes") == 0);
}

TEST_CASE_METHOD(UnseenMappings, "what was recorded, moved or inherited is not lost") {
  const std::string how = GENERATE("seen", "inherited");
  CAPTURE(how);
  const nlohmann::json loss = record_mapping(how).at("loss");
  CAPTURE(loss.dump());
  CHECK(loss.at("mapped_unseen_bytes") == 0);
  CHECK(loss.at("unmapped_unseen_bytes") == 0);
}
