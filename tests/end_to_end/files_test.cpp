#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using namespace tidemark::tests;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a file that is read in any way has all its bytes in the trace") {
  const std::string program = GENERATE("reads_file", "reads_file_fortified");
  const std::string how = GENERATE("read", "openat", "dup_read", "pread", "readv", "preadv",
                                   "fread", "fopen64_fread", "ifstream");
  CAPTURE(program, how);
  const std::string file = a_file_of(kMiB, "weights.bin");
  const Recording recording = record_unchanged(host(program, {how, file}));
  CHECK(recording.host.out.starts_with("1 "));
  CHECK(recording.events.bytes_read(file) == kMiB);
  const auto json = report(recording.trace);
  REQUIRE(json["model"]["files"].size() == 1);
  CHECK(json["model"]["files"][0]["path"] == file);
  CHECK(json["model"]["files"][0]["size"] == kMiB);
  CHECK(json["model"]["files"][0]["bytes_read"] == kMiB);
  CHECK(json["model"]["bytes"] == kMiB);
}

TEST_CASE_METHOD(EndToEnd, "a read of nothing needs no stream") {
  const Recording recording = record_unchanged(host("reads_nothing"));
  CHECK(recording.host.out == "0 0\n");
  CHECK(recording.events.count(trace::EventKind::kRead) == 0);
}

TEST_CASE_METHOD(EndToEnd, "a file that is mapped has its bytes in the trace as mapped") {
  const std::string file = a_file_of(kMiB, "weights.bin");
  const Recording recording = record_unchanged(host("reads_file", {"mmap", file}));
  const auto json = report(recording.trace);
  REQUIRE(json["model"]["files"].size() == 1);
  CHECK(json["model"]["files"][0]["bytes_mapped"] == kMiB);
  CHECK(json["model"]["files"][0]["bytes_read"] == 0);
  CHECK(json["model"]["bytes"] == kMiB);
}

TEST_CASE_METHOD(EndToEnd, "a naive loader's peak is two copies of its model") {
  const std::string file = a_file_of(64 * kMiB, "weights.bin");
  const Recording recording = record_unchanged(host("loads_weights", {file}));
  const auto json = report(recording.trace);
  CHECK(json["model"]["bytes"] == 64 * kMiB);
  CHECK(json["peak"]["heap_bytes"].get<double>() == Approx(128.0 * kMiB).epsilon(0.002));
  CHECK(json["peak"]["ratio"].get<double>() == Approx(2.0).epsilon(0.002));
}
