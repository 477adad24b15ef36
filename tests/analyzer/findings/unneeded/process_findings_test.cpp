// The model in the memory of several processes, for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::Load;

namespace {

/// Process 0 forks two others.
struct Workers : Load {
  void fork(std::uint32_t count = 2) {
    wait_ms(10);
    for (std::uint32_t i = 1; i <= count; ++i) {
      const auto process = trace.process(100 + i, "worker");
      threads.push_back(trace.thread(process));
      processes.push_back(process);
    }
  }
  /// Of its own memory, as what it has from process 0.
  void write(std::size_t worker, std::uint64_t bytes, const std::string& name) {
    trace.on(threads[worker]);
    wait_ms(10);
    const auto stack = trace.stack({name});
    written.push_back(trace.allocate(bytes / 4, stack, trace::Lane::kAnon));
    wait_ms(10);
    trace.grow(written.back(), bytes - bytes / 4);
  }
  std::vector<analyzer::Finding> found() { return findings_of(report(), FindingKind::kProcesses); }

  std::vector<trace::ThreadId> threads;
  std::vector<trace::ProcessId> processes;
  std::vector<std::uint64_t> written;
};

}  // namespace

TEST_CASE("processes that have each read the model are told, with it in one of them", "[anatomy]") {
  Workers load;
  load.fork();
  load.blob();
  load.trace.on(load.threads[0]);
  load.blob();
  load.trace.on(load.threads[1]);
  load.streamed_tensors();

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 3 * kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].remedy == "With it in one of them");
  CHECK(found[0].sentence ==
        "3 processes each have the model for themselves: 768.0 MiB in 18 blocks of read_file "
        "(loader.cpp:40).");
}

TEST_CASE("a process that has the model twice beside another one has it in one of them",
          "[anatomy]") {
  Workers load;
  load.fork();
  load.tensors_from(load.blob());
  load.trace.on(load.threads[0]);
  load.blob();

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == 2 * kModelBytes);
}

TEST_CASE("a process that has the model by its values has it for itself", "[anatomy]") {
  enum class Has : std::uint8_t { kAll, kMost, kHalf, kOneTwice, kShared, kAfterwards };
  const auto has =
      GENERATE(Has::kAll, Has::kMost, Has::kHalf, Has::kOneTwice, Has::kShared, Has::kAfterwards);
  CAPTURE(static_cast<int>(has));
  Workers load;
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    load.trace.tensor(load.model, tests::kTensorBytes / 4, tests::kTensorBytes,
                      "layer." + std::to_string(i) + ".w");
  }
  load.fork();
  load.blob();
  load.trace.on(load.threads[0]);
  const auto lane = has == Has::kShared ? trace::Lane::kShared : trace::Lane::kHeap;
  const std::uint64_t from_ms = has == Has::kAfterwards ? 100'000 : 0;
  const std::uint64_t known = has == Has::kMost   ? tests::kTensors - 1
                              : has == Has::kHalf ? tests::kTensors / 2
                                                  : tests::kTensors;
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    const std::uint64_t block = load.block("receive", tests::kTensorBytes, lane);
    if (i < known) {
      load.trace.match(block, load.model, has == Has::kOneTwice ? 0 : i * tests::kTensorBytes, "",
                       from_ms);
    }
  }
  load.wait_ms(1000);

  const auto found = load.found();

  REQUIRE(found.size() == (has == Has::kAll || has == Has::kMost ? 1 : 0));
  if (has == Has::kAll) {
    CHECK(found[0].bytes == 2 * kModelBytes);
    CHECK(found[0].peak_without_bytes == kModelBytes);
    CHECK(found[0].sentence ==
          "2 processes each have the model for themselves, 1 of them by the values that its blocks "
          "hold: 512.0 MiB in 17 blocks of read_file (loader.cpp:40) and other places.");
  }
}

TEST_CASE("processes that each have a part of the model are not blamed", "[anatomy]") {
  Workers load;
  load.fork();
  const auto half = [&load, is_copied = GENERATE(false, true)] {
    const auto block = load.block("read_part", kModelBytes / 2);
    load.wait_ms(10);
    load.trace.read_into(load.model, kModelBytes / 2, block);
    if (is_copied) {
      const auto copy = load.block("Empty", kModelBytes / 2);
      load.wait_ms(10);
      load.trace.copy(kModelBytes / 2, block, copy);
    }
  };
  half();
  load.trace.on(load.threads[0]);
  half();
  CHECK(load.found().empty());
}

TEST_CASE("processes that have the model one after the other are not blamed", "[anatomy]") {
  Workers load;
  load.fork();
  load.trace.on(load.threads[0]);
  load.blob();
  load.trace.end_process(load.processes[0]);
  load.trace.on(load.threads[1]);
  load.blob();
  CHECK(load.found().empty());
}

TEST_CASE("forked processes that have written the model are told", "[anatomy]") {
  Workers load;
  load.blob();
  load.fork();
  load.write(0, kModelBytes, trace::kWrittenOfForkName);

  SECTION("one") {
    const auto found = load.found();
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == kModelBytes);
    CHECK(found[0].peak_without_bytes == kModelBytes);
    CHECK(found[0].remedy == "Had it only read");
    CHECK(found[0].sentence ==
          "The process with the model was forked, and its child has written 256.0 MiB of what it "
          "had from it, which is there twice since.");
  }
  SECTION("two") {
    load.write(1, kModelBytes, trace::kWrittenOfForkName);
    const auto found = load.found();
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == 2 * kModelBytes);
    CHECK(found[0].peak_without_bytes == kModelBytes);
    CHECK(found[0].remedy == "Had they only read");
    CHECK(found[0].sentence ==
          "The process with the model was forked, and 2 of its children have written 512.0 MiB of "
          "what they had from it, which each has for itself since.");
  }
}

TEST_CASE("forked processes that write as much as the model have written it", "[anatomy]") {
  // Beside it stands a smaller copy, so that half of the model need not be among it.
  Workers load;
  load.block("half", kModelBytes * 2 / 3);
  load.blob();
  load.fork();
  SECTION("just so much") {
    load.write(0, kModelBytes + kModelBytes / 200, trace::kWrittenOfForkName);
    const auto found = load.found();
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == kModelBytes + kModelBytes / 200);
  }
  SECTION("nearly so much, which may as well be the copy and a third of the model") {
    load.write(0, kModelBytes + kModelBytes / 20, trace::kWrittenOfForkName);
    CHECK(load.found().empty());
  }
  SECTION("less") {
    load.write(0, kModelBytes * 4 / 5, trace::kWrittenOfForkName);
    CHECK(load.found().empty());
  }
}

TEST_CASE("what a fork has written need not be the model", "[anatomy]") {
  enum class Why : std::uint8_t { kIsLess, kIsOther, kIsOfAnother, kWasBefore, kMayBeRest };
  const auto why =
      GENERATE(Why::kIsLess, Why::kIsOther, Why::kIsOfAnother, Why::kWasBefore, Why::kMayBeRest);
  CAPTURE(static_cast<int>(why));
  Workers load;
  if (why == Why::kMayBeRest) {
    load.block("dataset", 4 * kModelBytes);
  }
  if (why == Why::kIsOfAnother || why == Why::kWasBefore) {
    load.fork();
  }
  if (why == Why::kIsOfAnother) {
    load.trace.on(load.threads[1]);
  }
  load.blob();
  if (load.threads.empty()) {
    load.fork();
  }
  load.write(0, why == Why::kIsLess ? kModelBytes / 4 : kModelBytes,
             why == Why::kIsOther ? "workspace" : trace::kWrittenOfForkName);
  CHECK(load.found().empty());
}

TEST_CASE("forked processes that have written the mapped model are told", "[anatomy]") {
  Workers load;
  const auto mapping = load.trace.map(load.model, kModelBytes);
  load.block("tokenizer", 8 * kMiB);
  load.fork();
  const auto [written, is_by_both] =
      GENERATE(table<std::uint64_t, bool>({{kModelBytes, false}, {kModelBytes / 2, true}}));
  CAPTURE(written, is_by_both);
  load.write(0, written, trace::kWrittenOfForkName);
  if (is_by_both) {
    load.write(1, written, trace::kWrittenOfForkName);
  }
  load.trace.release(mapping);

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == 8 * kMiB);
  CHECK(found[0].advice == "change the weights once, before the fork, then only read them");
  CHECK(found[0].sentence ==
        (is_by_both ? "The process that maps the model was forked, and 2 of its children have "
                      "written 256.0 MiB of what they had from it, which each has for itself since."
                    : "The process that maps the model was forked, and its child has written 256.0 "
                      "MiB of what it had from it, which is memory of its own since."));
}

TEST_CASE("what a fork has written need not be the mapped model", "[anatomy]") {
  const auto why =
      GENERATE(as<std::string>{}, "a part is mapped", "it is less than half", "it may be the heap",
               "it may be another file", "it was mapped later", "another process has mapped it");
  CAPTURE(why);
  Workers load;
  if (why == "it may be the heap") {
    load.block("dataset", kModelBytes);
  } else if (why == "it may be another file") {
    (void)load.trace.map(load.trace.file("/data/images.tar", kModelBytes), kModelBytes);
  } else if (why == "it was mapped later" || why == "another process has mapped it") {
    load.fork();
  }
  load.wait_ms(10);
  if (why == "another process has mapped it") {
    load.trace.on(load.threads[1]);
  }
  if (why == "a part is mapped") {
    load.trace.read(load.model, kModelBytes);
  }
  (void)load.trace.map(load.model, why == "a part is mapped" ? kModelBytes / 2 : kModelBytes);
  if (load.threads.empty()) {
    load.fork();
  }
  load.write(0, why == "it is less than half" ? kModelBytes / 4 : kModelBytes,
             trace::kWrittenOfForkName);

  CHECK(load.found().empty());
}

TEST_CASE("files that were mapped long before a fork are told apart", "[anatomy]") {
  const bool is_other = GENERATE(false, true);
  CAPTURE(is_other);
  Workers load;
  const auto file = is_other ? load.trace.file("/data/images.tar", kModelBytes) : load.model;
  (void)load.trace.map(load.model, kModelBytes);
  if (is_other) {
    (void)load.trace.map(file, kModelBytes);
  }
  load.trace.flush();
  load.block("tokenizer", 8 * kMiB);
  load.trace.flush();
  load.fork();
  load.write(0, kModelBytes, trace::kWrittenOfForkName);

  CHECK(load.found().empty() == is_other);
}

// For each of them the whole trace was gone through.
TEST_CASE("thousands of forked processes that have each written the model are told", "[anatomy]") {
  constexpr std::uint32_t kForks = 3'000;
  const bool is_mapped = GENERATE(false, true);
  CAPTURE(is_mapped);
  Workers load;
  if (is_mapped) {
    (void)load.trace.map(load.model, kModelBytes);
  } else {
    load.blob();
  }
  load.fork(kForks);
  for (std::uint32_t i = 0; i < kForks; ++i) {
    load.write(i, kModelBytes, trace::kWrittenOfForkName);
  }

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kForks * kModelBytes);
}

TEST_CASE("each fork is compared with what its parent had then", "[anatomy]") {
  Workers load;
  load.blob();
  load.fork();
  // What the second one may have written instead of the model.
  load.block("dataset", 4 * kModelBytes);
  load.fork();
  load.write(0, kModelBytes, trace::kWrittenOfForkName);
  load.trace.on(trace::ThreadId{0});
  load.write(2, kModelBytes, trace::kWrittenOfForkName);

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
}
