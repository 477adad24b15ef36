// Reads that no hook sees: told by the kernel's counts, or lost; and what looks like them.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// False where this system has no such way of reading, which is said.
bool is_here(const Recording& recording, const std::string& how) {
  if (recording.host.out != "not here\n")
    return true;
  SKIP_TEST("this system cannot read by " << how);
  return false;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "a file that is read past read has all its bytes in the trace") {
  const std::string how =
      GENERATE("number", "sendfile", "copy_file_range", "splice", "aio_number", "libaio",
               "liburing", "liburing_large_entries", "ring", "ring_from_nowhere",
               "ring_without_array", "ring_of_large_entries");
  CAPTURE(how);
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record_unchanged(host("reads_unusually", {how, file}));
  if (!is_here(recording, how))
    return;
  CHECK(recording.host.out == "4194304\n");
  CHECK(recording.events.bytes_read(file) == 4 * kMiB);
  CHECK_FALSE(recording.events.loss().hides_reads());
  CHECK(report(recording.trace)["model"]["bytes"] == 4 * kMiB);
}

TEST_CASE_METHOD(EndToEnd, "reads that nobody could see are counted as lost") {
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record(host("reads_unusually", {"most_by_instruction", file}));
  REQUIRE(recording.host.out == "3145728\n");
  CHECK(recording.events.bytes_read(file) == 0);
  const trace::Loss& loss = recording.events.loss();
  CHECK(loss.reads_unseen_bytes >= 3 * kMiB);
  CHECK(loss.reads_unseen_bytes < 3 * kMiB + kMiB / 2);
  CHECK_FALSE(loss.hides_memory());
}

TEST_CASE_METHOD(EndToEnd, "a read past every hook is in the trace, or is lost") {
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record(host("reads_unusually", {"instruction", file}));
  REQUIRE(recording.host.out == "4194304\n");
  const std::uint64_t lost = recording.events.loss().reads_unseen_bytes;
  CHECK(recording.events.bytes_read(file) + lost >= 4 * kMiB);
  CHECK(recording.events.bytes_read(file) + lost < 4 * kMiB + kMiB / 2);
}

TEST_CASE_METHOD(EndToEnd, "a file that the recorder sees being read past every hook is a model") {
  const std::string file = a_file_with(sixteen_tensors(), "net.safetensors");
  const auto recorder =
      start_recording(Command{host("reads_unusually", {"watched", file}), {}, {}, true, {}, {}});
  REQUIRE(recorder->read_line() == "ready");
  REQUIRE(wait_for_looks(*recorder));
  recorder->write_line("go on");
  REQUIRE(recorder->wait().status == 0);
  const Events events(trace());
  const std::uint64_t size = std::filesystem::file_size(file);
  CHECK(events.bytes_read(file) == size);
  CHECK_FALSE(events.loss().hides_reads());
  CHECK(events.definitions().tensors.size() == 16);
  const auto json = report(trace());
  REQUIRE(json["model"]["files"].size() == 1);
  CHECK(json["model"]["files"][0]["path"] == file);
  CHECK(json["model"]["files"][0]["bytes_read"] == size);
  CHECK(json["model"]["bytes"] == size);
}

TEST_CASE_METHOD(EndToEnd, "a read that is not over yet for its program is no unseen one") {
  const std::string file = a_file_of(64 * kMiB, "weights.bin");
  const auto recorder =
      start_recording(Command{host("handles_in_a_read", {file}), {}, {}, true, {}, {}});
  REQUIRE(recorder->read_line() == "ready");
  REQUIRE(wait_for_looks(*recorder));
  recorder->write_line("go on");
  REQUIRE(recorder->wait().status == 0);
  CHECK(recorder->read_line() == std::to_string(64 * kMiB));
  const Events events(trace());
  CHECK(events.bytes_read(file) == 64 * kMiB);
  CHECK_FALSE(events.loss().hides_reads());
}

TEST_CASE_METHOD(EndToEnd, "what a stream has read ahead into a large buffer counts once") {
  const std::string how = GENERATE("fread", "fgets", "getline", "fseek");
  CAPTURE(how);
  constexpr std::size_t kLine = 64;
  std::string lines;
  while (lines.size() < 16 * kMiB)
    lines += std::string(kLine - 1, 'x') + '\n';
  const std::string file = a_file_with(lines, "weights.txt");
  const auto recorder =
      start_recording(Command{host("buffers_reads", {how, file}), {}, {}, true, {}, {}});
  REQUIRE(recorder->read_line() == "ready");
  REQUIRE(wait_for_looks(*recorder));
  recorder->write_line("go on");
  REQUIRE(recorder->wait().status == 0);
  const Events events(trace());
  CHECK(events.bytes_read(file) == (how == "fseek" ? 100 + 8 * kMiB : 16 * kMiB));
  CHECK_FALSE(events.loss().hides_reads());
}

TEST_CASE_METHOD(EndToEnd, "a model that the recorder was told of is looked into, read or not") {
  const std::string file = a_file_with(sixteen_tensors(), "net.safetensors");
  Words words{"record", "-q", "-o", trace(), "--model", file, "--"};
  std::ranges::copy(host("reads_unusually", {"most_by_instruction", file}),
                    std::back_inserter(words));
  REQUIRE(tidemark(words).status == 0);
  const Events events(trace());
  CHECK(events.loss().reads_unseen_bytes >= 12 * kMiB);
  CHECK(events.definitions().tensors.size() == 16);
  const auto json = report(trace());
  REQUIRE(json["model"]["files"].size() == 1);
  CHECK(json["model"]["files"][0]["path"] == file);
  CHECK(json["model"]["files"][0]["bytes_read"] == 0);
  CHECK(json["model"]["bytes"] == json["model"]["files"][0]["size"]);
  // Nothing is known of the load itself, unless a look met the file while it was open.
  const bool was_seen_open =
      std::ranges::count(events.all(), trace::EventKind::kOpen, &trace::Event::kind) != 0;
  CHECK(json["before_load"].is_null() == !was_seen_open);
  CHECK(json["phases"].empty());
}

TEST_CASE_METHOD(EndToEnd, "what a stream takes and throws away is no lost read") {
  const std::string how = GENERATE("far", "near", "closed");
  CAPTURE(how);
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record_unchanged(host("seeks_in_streams", {how, file}));
  CHECK(recording.events.loss().reads_unseen_bytes < kMiB / 8);
}

namespace {

/// Bytes of the file that went past hooks: those that looks saw being read, and those that are
/// lost.
std::uint64_t past_hooks(const Recording& recording, const std::string& file, std::uint64_t seen) {
  return recording.events.bytes_read(file) - seen + recording.events.loss().reads_unseen_bytes;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "what getc reads goes past hooks, however often a stream goes back") {
  constexpr std::uint64_t kByFread = 100'000;
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record(host("seeks_in_streams", {"back", file}));
  CHECK(past_hooks(recording, file, kByFread) >= kMiB / 2 - kMiB / 8);
  CHECK(past_hooks(recording, file, kByFread) < kMiB / 2 + kMiB / 8);
}

TEST_CASE_METHOD(EndToEnd, "a file that is read line by line is read") {
  std::string text;
  for (int i = 0; i < 300'000; ++i)
    text += "word" + std::to_string(i) + " 0.25\n";
  const std::string file = a_file_with(text, "vectors.txt");
  const Recording recording = record_unchanged(host("seeks_in_streams", {"lines", file}));
  CHECK(recording.events.bytes_read(file) == text.size());
  CHECK(recording.events.loss().reads_unseen_bytes == 0);
}

TEST_CASE_METHOD(EndToEnd, "a lost read is one, however often a stream reads the same bytes") {
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record(host("seeks_in_streams", {"hidden", file}));
  constexpr std::uint64_t kByFread = 4'000'000;
  CHECK(past_hooks(recording, file, kByFread) >= 4 * kMiB);
  CHECK(past_hooks(recording, file, kByFread) < 4 * kMiB + kMiB / 8);
}

TEST_CASE_METHOD(EndToEnd, "what loading many programs takes is no lost read") {
  const Recording recording = record_unchanged(
      Words{"/bin/sh", "-c", "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done"});
  CHECK(recording.events.definitions().processes.size() == 201);
  CHECK(recording.events.loss().reads_unseen_bytes == 0);
}

TEST_CASE_METHOD(EndToEnd, "a ring that nobody could follow is lost reads") {
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record(host("reads_unusually", {"hidden_ring", file}));
  if (!is_here(recording, "io_uring"))
    return;
  CHECK(recording.host.out == "4194304\n");
  CHECK(recording.events.bytes_read(file) == 0);
  CHECK(recording.events.loss().rings_unseen == 1);
}

TEST_CASE_METHOD(EndToEnd, "a ring is met in a process that has been there for long") {
  const std::string how = GENERATE("late_ring", "late_ring_early_file");
  CAPTURE(how);
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record(host("reads_unusually", {how, file}));
  if (!is_here(recording, "io_uring"))
    return;
  CHECK(recording.host.out == "4194304\n");
  CHECK(recording.events.loss().rings_unseen == 1);
}

TEST_CASE_METHOD(EndToEnd, "a ring that nobody uses is no loss, where its program ends by exit") {
  const std::string how = GENERATE("idle_ring", "closed_ring", "killed_ring", "two_rings");
  CAPTURE(how);
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record(host("reads_unusually", {how, file}));
  if (!is_here(recording, "io_uring"))
    return;
  CHECK(recording.host.out == "4194304\n");
  CHECK(recording.events.loss().rings_unseen ==
        (how == "idle_ring" || how == "closed_ring" ? 0 : 1));
}

TEST_CASE_METHOD(EndToEnd, "a process whose ring was followed does not speak for another one") {
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const auto command = [&](const std::string& how) {
    return host("reads_unusually", {how, file}).front() + " " + how + " " + file;
  };
  const Recording recording =
      record(Words{"/bin/sh", "-c", command("liburing") + "; " + command("two_rings")});
  if (recording.host.out.find("not here") != std::string::npos) {
    SKIP_TEST("this system cannot read by liburing");
    return;
  }
  CHECK(recording.host.out == "4194304\n4194304\n");
  CHECK(recording.events.loss().rings_unseen == 1);
}

TEST_CASE_METHOD(EndToEnd, "a ring that only the kernel knows of is a loss where it was used") {
  const std::string how = GENERATE("unseen_idle_ring", "unseen_ring");
  CAPTURE(how);
  const Words words = host("reads_unusually", {how, a_file_of(4 * kMiB, "weights.bin")});
  const auto recorder = start_recording(Command{words, {}, {}, true, {}, {}});
  const std::string first = recorder->read_line();
  if (first == "not here") {
    SKIP_TEST("this system cannot read by io_uring");
    return;
  }
  REQUIRE(first == "ready");
  REQUIRE(wait_for_looks(*recorder));
  recorder->write_line("go on");
  REQUIRE(recorder->wait().status == 0);
  CHECK(Events(trace()).loss().rings_unseen == (how == "unseen_ring" ? 1 : 0));
}

TEST_CASE_METHOD(EndToEnd, "reads from pipes and by children are not lost reads") {
  const std::string file = a_file_of(4 * kMiB, "weights.bin");
  const Recording recording = record_unchanged(
      Words{"/bin/sh", "-c", "cat " + file + " | cat | wc -c; (cat " + file + " | wc -c) & wait"});
  CHECK(recording.host.out == "4194304\n4194304\n");
  CHECK(recording.events.loss().reads_unseen_bytes < kMiB / 2);
}
