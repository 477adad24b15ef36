#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <vector>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// Their values, behind eight zeros: nothing says what is in it.
std::string sixteen_without_list() {
  const std::string tensors = sixteen_tensors();
  return std::string(sizeof(std::uint64_t), '\0') + tensors.substr(tensors.size() - 16 * kMiB);
}

std::vector<std::string> kinds_of(const nlohmann::json& report) {
  std::vector<std::string> kinds;
  for (const auto& finding : report.at("findings"))
    kinds.push_back(finding.at("kind"));
  std::ranges::sort(kinds);
  return kinds;
}

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

TEST_CASE_METHOD(EndToEnd, "numbers that are read one by one are told together, and all of them") {
  const std::string how = GENERATE("row", "place", "turns", "reopened", "open", "killed", "thread");
  CAPTURE(how);
  const std::string file = a_file_of(kMiB, "weights.bin");
  const Recording recording = record(host("reads_items", {how, file}));
  CHECK(recording.events.bytes_read(file) == kMiB);
  const std::size_t reads = recording.events.count(
      [](const trace::Event& event) { return event.kind == trace::EventKind::kRead; });
  // In turn, each is of another stream than the one before.
  if (how != "turns")
    CHECK(reads < kMiB / 4 / 100);
}

TEST_CASE_METHOD(EndToEnd,
                 "a model is opened when it is, and not when a copy of its descriptor is used") {
  const std::string how = GENERATE("dup", "dup2", "dup3", "F_DUPFD", "F_DUPFD_CLOEXEC", "number",
                                   "fdopen", "map", "fork", "message", "unseen");
  CAPTURE(how);
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record_unchanged(host("reads_duplicate", {how, file}));
  REQUIRE(recording.host.out == "1 1\n");
  const auto json = report(recording.trace);
  REQUIRE(json["model"]["bytes"] == 4 * kMiB);
  // Nothing is said of what stood before, or what the program had of its own: no block of the load.
  const auto& before = json["before_load"];
  // What no hook saw being opened, a look may have met open.
  CHECK((how == "unseen" || !before.is_null()));
  if (!before.is_null()) {
    CHECK(before["stood_bytes"] >= 2 * kMiB);
    CHECK(before["stood_bytes"] < 3 * kMiB);
  }
}

TEST_CASE_METHOD(EndToEnd, "what a vfork child does with its descriptors is not its parent's") {
  const std::string how =
      GENERATE("vfork_dup", "vfork_dup_file", "vfork_close", "vfork_close_range");
  CAPTURE(how);
  const std::string file = a_file_of(kMiB + 1, "weights.bin");
  const std::string other = a_file_of(kMiB / 16, "other.bin");
  const Recording recording = record_unchanged(host("reuses_descriptors", {how, file, other}));
  REQUIRE(recording.host.out == "1\n");
  CHECK(recording.events.bytes_read(file) == kMiB + 1);
  CHECK(recording.events.bytes_read(other) == 0);
}

TEST_CASE_METHOD(EndToEnd,
                 "what is read from a number that was a file's before is not the file's") {
  const std::string how = GENERATE("close_range", "closefrom", "close_range_number", "dup");
  CAPTURE(how);
  const std::string file = a_file_of(kMiB, "weights.bin");
  const Recording recording = record_unchanged(host("reuses_descriptors", {how, file, file}));
  REQUIRE(recording.host.out == "1\n");
  CHECK(recording.events.bytes_read(file) == 1);
  CHECK(recording.events.count(
            [](const trace::Event& event) { return event.kind == trace::EventKind::kClose; }) == 1);
}

TEST_CASE_METHOD(EndToEnd, "where bytes of a block are in their file is what they say themselves") {
  const std::string how = GENERATE("read", "pread", "readv", "preadv", "preadv2", "by_number",
                                   "fread", "ifstream", "mapped_copy", "two_copies");
  CAPTURE(how);
  constexpr std::uint64_t kBytes = 400'008;
  std::string text(2 * kMiB, '\0');
  for (std::uint64_t at = 0; at < text.size(); at += sizeof at)
    std::memcpy(&text[at], &at, sizeof at);
  const Recording recording =
      record_unchanged(host("places_of_bytes", {how, a_file_with(text, "weights.bin")}));
  const auto& definitions = recording.events.definitions();
  std::vector<trace::Origin> origins;
  for (const trace::Event& event : recording.events.all()) {
    if (event.kind != trace::EventKind::kAllocate || event.size != kBytes)
      continue;
    for (const trace::Origin& origin : definitions.origins) {
      if (origin.allocation == event.allocation)
        origins.push_back(origin);
    }
  }
  REQUIRE(origins.size() == 1);
  CHECK(definitions.files[trace::index(origins[0].file)].path == path("weights.bin"));
  std::ostringstream said;
  said << origins[0].begin << ' ' << origins[0].offset << ' ' << origins[0].bytes << '\n';
  CHECK(said.str() == recording.host.out);
}

TEST_CASE_METHOD(EndToEnd, "weights that a loop widens are found by their values") {
  const std::string file = a_file_with(sixteen_tensors(), "net.safetensors");
  SECTION("the same values") {
    const auto json = report(record_unchanged(host("widens_weights", {file})).trace);
    CHECK(json["model"]["bytes"].get<double>() == Approx(16.0 * kMiB).epsilon(0.001));
    CHECK(kinds_of(json) == std::vector<std::string>{"twice", "widened"});
    for (const auto& finding : json["findings"])
      CHECK(finding["peak_without_bytes"].get<double>() == Approx(32.0 * kMiB).epsilon(0.02));
  }
  SECTION("the last of them shortly before the end") {
    const auto json = report(record_unchanged(host("widens_weights", {file, "hurries"})).trace);
    CHECK(kinds_of(json) == std::vector<std::string>{"twice", "widened"});
    for (const auto& finding : json["findings"])
      CHECK(finding["peak_without_bytes"].get<double>() == Approx(32.0 * kMiB).epsilon(0.02));
  }
  SECTION("other values in the last blocks of the same place") {
    const auto json = report(record_unchanged(host("widens_weights", {file, "scratch"})).trace);
    CHECK(kinds_of(json) == std::vector<std::string>{"twice", "widened"});
    for (const auto& finding : json["findings"]) {
      CHECK(finding["peak_without_bytes"].get<double>() == Approx(36.0 * kMiB).epsilon(0.02));
      CHECK_FALSE(finding.contains("inferred_blocks"));
    }
  }
  SECTION("other values in blocks of the same sizes") {
    const auto json = report(record_unchanged(host("widens_weights", {file, "squares"})).trace);
    CHECK(kinds_of(json).empty());
  }
}

TEST_CASE_METHOD(EndToEnd, "big-endian numbers that a loop turns round are found by their values") {
  std::string text = sixteen_without_list();
  for (std::size_t at = sizeof(std::uint64_t); at < text.size(); at += sizeof(float))
    std::ranges::reverse(std::span(text).subspan(at, sizeof(float)));
  const std::string file = a_file_with(text, "net.big");
  const auto json = report(record_unchanged(host("widens_weights", {file, "turned"})).trace);
  REQUIRE(kinds_of(json) == std::vector<std::string>{"twice"});
  const auto& finding = json["findings"][0];
  CHECK(finding["title"] == "two copies of the weights");
  CHECK(finding["bytes"].get<double>() == Approx(16.0 * kMiB).epsilon(0.02));
  CHECK(finding["peak_without_bytes"].get<double>() == Approx(16.0 * kMiB).epsilon(0.02));
}

TEST_CASE_METHOD(EndToEnd,
                 "values that were made of a file that says nothing of them, and then widened") {
  std::string text = sixteen_without_list();
  std::ranges::for_each(std::span(text).subspan(sizeof(std::uint64_t)),
                        [](char& byte) { byte = static_cast<char>(byte ^ 0x5a); });
  const std::string file = a_file_with(text, "net.masked");
  const auto json = report(record_unchanged(host("widens_weights", {file, "masked"})).trace);
  REQUIRE(kinds_of(json) == std::vector<std::string>{"twice"});
  const auto& finding = json["findings"][0];
  CHECK(finding["title"] == "the same values in memory twice");
  CHECK(finding["bytes"].get<double>() == Approx(16.0 * kMiB).epsilon(0.02));
  // And the buffer.
  CHECK(finding["peak_without_bytes"].get<double>() == Approx(33.0 * kMiB).epsilon(0.02));
}

TEST_CASE_METHOD(EndToEnd, "weights that a loop copies fast, shortly before the end, are found") {
  constexpr std::uint64_t kEach = 4 * kMiB;
  const std::string file = a_file_with(sixteen_tensors(kEach), "net.safetensors");
  SECTION("over the numbers that a network began with") {
    const auto json = report(record_unchanged(host("overwrites_weights", {file})).trace);
    CHECK(kinds_of(json) == std::vector<std::string>{"twice"});
    CHECK(json["findings"][0]["peak_without_bytes"].get<double>() ==
          Approx(16.0 * kEach).epsilon(0.02));
  }
  SECTION("changed") {
    const auto json = report(record_unchanged(host("overwrites_weights", {file, "squares"})).trace);
    CHECK(kinds_of(json).empty());
  }
}

TEST_CASE_METHOD(EndToEnd, "weights that a loop widens right before they are freed are found") {
  const std::string file = a_file_with(sixteen_without_list(), "net.bin");
  const auto json = report(record_unchanged(host("widens_at_last", {file})).trace);
  CHECK(kinds_of(json) == std::vector<std::string>{"twice", "widened"});
  for (const auto& finding : json["findings"])
    CHECK(finding["peak_without_bytes"].get<double>() == Approx(32.0 * kMiB).epsilon(0.02));
}

TEST_CASE_METHOD(EndToEnd, "weights that a loop packs are found beside the file's own bytes") {
  const std::string file = a_file_with(sixteen_tensors(), "net.safetensors");
  const auto found = [&](const std::string& how) {
    auto findings = nlohmann::json::array();
    const auto json = report(record_unchanged(host("packs_weights", {file, how})).trace);
    for (const auto& finding : json["findings"]) {
      if (finding["title"] == "weights once more in another order")
        findings.push_back(finding);
    }
    return findings;
  };
  SECTION("read") {
    const auto findings = found("read");
    REQUIRE(findings.size() == 1);
    CHECK(findings[0]["peak_without_bytes"].get<double>() == Approx(16.0 * kMiB).epsilon(0.02));
  }
  SECTION("mapped") {
    const auto findings = found("mapped");
    REQUIRE(findings.size() == 1);
    CHECK(findings[0]["remedy"] == "Used as it is mapped");
    CHECK(findings[0]["peak_without_bytes"] < 1 * kMiB);
  }
  SECTION("other values, or in pieces") {
    const std::string how = GENERATE("squares", "pieces");
    CHECK(found(how).empty());
  }
}

TEST_CASE_METHOD(EndToEnd, "weights that a loop copies to arrays within one mapping are found") {
  const std::string file = a_file_with(sixteen_tensors(), "net.safetensors");
  const auto json = report(record_unchanged(host("packs_weights", {file, "arrays"})).trace);
  // The vector that it is read into was zeroed first.
  REQUIRE(kinds_of(json) == std::vector<std::string>{"twice", "written_twice"});
  const auto& finding = json["findings"][0];
  CHECK(finding["kind"] == "twice");
  CHECK(finding["bytes"].get<double>() == Approx(16.0 * kMiB).epsilon(0.02));
  CHECK(finding["peak_without_bytes"].get<double>() == Approx(64.0 * kMiB).epsilon(0.02));
}

TEST_CASE_METHOD(EndToEnd, "a read that ends within an item of a stream counts to the file's end") {
  constexpr std::uint64_t kFile = 2 * kMiB + 8;
  const std::string file = a_file_of(kFile, "weights.bin");
  const Recording recording = record_unchanged(host("places_of_bytes", {"cut_off", file}));
  CHECK(recording.host.out == std::to_string(kFile / 300'000) + "\n");
  CHECK(recording.events.bytes_read(file) == kFile);
  CHECK_FALSE(recording.events.loss().hides_reads());
  const trace::Definitions& definitions = recording.events.definitions();
  REQUIRE(definitions.origins.size() == 1);
  CHECK(definitions.files[trace::index(definitions.origins[0].file)].path == file);
  CHECK(definitions.origins[0].offset == 0);
  CHECK(definitions.origins[0].bytes == kFile);
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

TEST_CASE_METHOD(EndToEnd, "a file that the program made itself is no model") {
  const std::string how = GENERATE("written", "reopened", "tmpfile", "unlinked", "memory");
  CAPTURE(how);
  const std::string folder = std::filesystem::path(a_file_of(1, "other")).parent_path();
  const std::string path = how == "tmpfile" ? folder : folder + "/scratch.gguf";
  const Recording recording = record_unchanged(host("uses_scratch_file", {how, path}));
  REQUIRE(recording.host.out == "4194304\n");
  const auto json = report(recording.trace);
  CHECK(json["model"]["bytes"] == 0);
  CHECK(json["events"]["file_reads"] == 1);
}

TEST_CASE_METHOD(EndToEnd, "a model that was opened for writing and not changed is one") {
  const std::string path = a_file_of(4 * kMiB, "weights");
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << "GGUF";
  using namespace std::chrono_literals;
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - 1h);
  const Recording recording = record_unchanged(host("uses_scratch_file", {"untouched", path}));
  const auto json = report(recording.trace);
  REQUIRE(json["model"]["files"].size() == 1);
  CHECK(json["model"]["files"][0]["content"] == "gguf");
  CHECK(json["model"]["bytes"] == 4 * kMiB);
}
