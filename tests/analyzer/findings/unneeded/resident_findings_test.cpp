// Findings about what is resident, and what was refused, for and against.

#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::Load;

namespace {

/// The model is there, then half of it is freed; samples say what stayed.
analyzer::Report load_with_samples(std::uint64_t resident_after, bool is_deep_bound = false) {
  Load load;
  load.trace.session.deep_bound = is_deep_bound;
  const auto tensors = load.streamed_tensors();
  load.trace.sample(kModelBytes);
  load.wait_ms(10);
  for (std::size_t i = 0; i < tensors.size() / 2; ++i) {
    load.trace.release(tensors[i]);
  }
  for (int i = 0; i < 100; ++i) {
    load.wait_ms(10);
    load.trace.sample(resident_after);
  }
  return load.report();
}

}  // namespace

TEST_CASE("memory that was freed and stays resident is kept by the allocator", "[anatomy]") {
  const auto found = findings_of(load_with_samples(kModelBytes), FindingKind::kKept);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes / 2);
  CHECK_FALSE(found[0].peak_without_bytes);
}

TEST_CASE("what a library may have from libc itself is not known to be freed memory", "[anatomy]") {
  const analyzer::Report report = load_with_samples(kModelBytes, true);
  CHECK(findings_of(report, FindingKind::kKept).empty());
  CHECK(report.unexplained_bytes == kModelBytes / 2);
  CHECK(report.unexplained_kept_bytes == 0);
}

TEST_CASE("what lies between kept memory is told by place, whatever its callers", "[anatomy]") {
  const auto in_use = [](std::uint64_t of_each_caller, std::uint64_t of_a_third) {
    Load load;
    const auto tensors = load.streamed_tensors();
    for (const char* const caller : {"encoder", "decoder"}) {
      load.trace.allocate(of_each_caller, load.trace.stack({"malloc", "insert", caller, "main"}));
    }
    load.trace.allocate(30 * kMiB, load.trace.stack({"malloc", "read_header", "main"}));
    load.trace.allocate(of_a_third, load.trace.stack({"malloc", "open_log", "main"}));
    load.release(tensors);
    for (int i = 0; i < 100; ++i) {
      load.wait_ms(10);
      load.trace.sample(kModelBytes);
    }
    const auto found = findings_of(load.report(), FindingKind::kKept);
    REQUIRE(found.size() == 1);
    return found[0].sentence;
  };
  CHECK_THAT(in_use(20 * kMiB, kMiB),
             Catch::Contains("In use between them: 71.0 MiB in 4 blocks, most of insert."));
  CHECK_THAT(
      in_use(20 * kMiB, 29 * kMiB),
      Catch::Contains("In use between them: 99.0 MiB in 4 blocks, 40.0 MiB of them of insert."));
}

TEST_CASE("holes between blocks are kept as far as a look at the heap's pages finds them",
          "[anatomy]") {
  // The heap never had them at one time, so their releases tell nothing of them.
  constexpr std::uint64_t kHoles = kModelBytes / 2;
  const auto kept_by = [](std::uint64_t heap_bytes) {
    Load load;
    const auto tensors = load.streamed_tensors();
    load.trace.sample(kModelBytes + kHoles);
    load.trace.heap_look(heap_bytes, tensors.size());
    load.wait_ms(1000);
    return findings_of(load.report(), FindingKind::kKept);
  };

  const auto found = kept_by(kModelBytes + kHoles);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kHoles - 24 * tests::kTensors);
  CHECK_THAT(found[0].sentence, Catch::Contains("384.0 MiB of private memory against 256.0 MiB"));
  // What is resident beside the heap is nothing that it keeps.
  CHECK(kept_by(kModelBytes).empty());
}

TEST_CASE("what is freed as the program ends is not kept for later", "[anatomy]") {
  Load load;
  const auto tensors = load.streamed_tensors();
  for (int i = 0; i < 800; ++i) {
    load.wait_ms(10);
    load.trace.sample(kModelBytes);
  }
  load.release(tensors);
  for (int i = 0; i < 30; ++i) {
    load.wait_ms(10);
    load.trace.sample(kModelBytes);
  }
  CHECK(findings_of(load.report(), FindingKind::kKept).empty());
}

TEST_CASE("an interpreter that takes itself down keeps nothing", "[anatomy]") {
  const int pause_ms = GENERATE(0, 400);
  CAPTURE(pause_ms);
  Load load;
  const auto tensors = load.streamed_tensors();
  std::vector<std::uint64_t> modules;
  for (int i = 0; i < 50; ++i)
    modules.push_back(load.block("import", kTensorBytes));
  const std::uint64_t resident = kModelBytes + modules.size() * kTensorBytes;
  for (int i = 0; i < 200; ++i) {
    load.wait_ms(10);
    load.trace.sample(resident);
  }
  // An eighth of the run.
  for (const std::uint64_t module : modules) {
    load.trace.release(module);
    load.wait_ms(10);
    load.trace.sample(resident);
  }
  for (int waited = 0; waited < pause_ms; waited += 10) {
    load.wait_ms(10);
    load.trace.sample(resident);
  }
  // What goes on without it for a while could have had it.
  CHECK(findings_of(load.report(), FindingKind::kKept).empty() == (pause_ms == 0));
}

TEST_CASE("a program that frees all it has keeps nothing, however rarely it is sampled",
          "[anatomy]") {
  // Where resident memory stands still the samples are 100 ms apart, and more on a busy machine.
  const std::uint64_t pause_ms = GENERATE(0U, 200U);
  CAPTURE(pause_ms);
  Load load;
  const auto tensors = load.streamed_tensors();
  std::vector<std::uint64_t> entries;
  for (int i = 0; i < 100; ++i)
    entries.push_back(load.block("insert", kTensorBytes));
  const std::uint64_t resident = kModelBytes + entries.size() * kTensorBytes;
  for (int i = 0; i < 18; ++i) {
    load.wait_ms(110);
    load.trace.sample(resident);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    load.trace.release(entries[i]);
    load.wait_ms(i == entries.size() / 2 ? 10 + pause_ms : 10U);
    if (i % 11 == 10)
      load.trace.sample(resident);
  }
  // What rests for a while in between could have had what it had freed until then.
  CHECK(findings_of(load.report(), FindingKind::kKept).empty() == (pause_ms == 0));
}

namespace {

/// A program that asks for a little once it has its model, and then gives back modules, with a rest
/// among them, while all stays resident.
struct GivenBack : Load {
  GivenBack() {
    tensors = streamed_tensors();
    for (int i = 0; i < 50; ++i)
      modules.push_back(block("import", kTensorBytes));
    sample_for(2000);
  }
  void ask(const std::vector<std::string>& functions, std::uint64_t bytes) {
    trace.allocate(bytes, trace.stack(functions));
  }
  void sample_for(std::uint64_t ms) {
    for (const std::uint64_t end_ms = now_ms() + ms; now_ms() < end_ms;) {
      wait_ms(10);
      trace.sample(kModelBytes + modules.size() * kTensorBytes);
    }
  }
  void give_back() {
    for (std::size_t i = 0; i < modules.size(); ++i) {
      trace.release(modules[i]);
      sample_for(i == modules.size() / 2 ? 400 : 10);
    }
  }
  std::vector<analyzer::Finding> kept() { return findings_of(report(), FindingKind::kKept); }

  std::vector<std::uint64_t> tensors;
  std::vector<std::uint64_t> modules;
};

}  // namespace

TEST_CASE("what is freed once a program takes itself down is not kept", "[anatomy]") {
  const std::vector<std::string> python{"malloc", "gc_collect", "Py_FinalizeEx", "main"};
  const std::vector<std::string> handler{"malloc", "flush", "__run_exit_handlers", "exit", "main"};
  const std::vector<std::string> other{"malloc", "flush", "run", "main"};
  const auto [asked_by, is_ending] = GENERATE_COPY(
      table<std::vector<std::string>, bool>({{python, true}, {handler, true}, {other, false}}));
  CAPTURE(asked_by);
  GivenBack load;
  load.ask(asked_by, 64);
  load.give_back();
  load.ask(handler, 64);
  CHECK(load.kept().empty() == is_ending);
}

TEST_CASE("what was kept before a program took itself down counts", "[anatomy]") {
  GivenBack load;
  load.give_back();
  load.sample_for(400);
  load.ask({"malloc", "flush", "__run_exit_handlers", "exit", "main"}, 64);
  load.release(load.tensors);
  load.sample_for(400);
  const auto found = load.kept();
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 50 * kTensorBytes);
}

TEST_CASE("an interpreter that ends inside a program which goes on is not its end", "[anatomy]") {
  GivenBack load;
  load.ask({"malloc", "gc_collect", "Py_FinalizeEx", "main"}, 64);
  load.give_back();
  load.ask({"malloc", "serve", "main"}, kMiB);
  load.sample_for(400);
  CHECK(load.kept().size() == 1);
}

TEST_CASE("a child that takes itself down is not the end of the program", "[anatomy]") {
  GivenBack load;
  const auto child = load.trace.thread(load.trace.process(101, "worker"));
  load.trace.on(child);
  load.ask({"malloc", "flush", "__run_exit_handlers", "exit", "main"}, 64);
  load.trace.on(trace::ThreadId{0});
  load.give_back();
  load.sample_for(400);
  CHECK(load.kept().size() == 1);
}

TEST_CASE("kept memory that makes the resident peak is named with what pins it", "[anatomy]") {
  Load load;
  std::vector<std::uint64_t> tensors = load.streamed_tensors();
  load.block("pin_arena", 64);
  load.trace.sample(kModelBytes);
  std::vector<std::uint64_t> copies;
  for (const std::uint64_t tensor : tensors) {
    copies.push_back(load.block("map_copy", kTensorBytes, trace::Lane::kAnon));
    load.trace.copy(kTensorBytes, tensor, copies.back());
    load.trace.release(tensor);
    load.trace.sample(kModelBytes + copies.size() * kTensorBytes);
  }
  for (int i = 0; i < 100; ++i) {
    load.wait_ms(10);
    load.trace.sample(2 * kModelBytes);
  }

  const auto report = load.report();
  const auto found = findings_of(report, FindingKind::kKept);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes - 64);
  CHECK_THAT(found[0].sentence, Catch::Contains("64 B in 1 block of pin_arena"));
  CHECK(report.unexplained_kept_bytes >= kModelBytes - kTensorBytes);
}

TEST_CASE("memory that goes back to the system is not kept", "[anatomy]") {
  CHECK(load_with_samples(kModelBytes / 2).anatomy.findings.empty());
}

TEST_CASE("memory that tidemark never saw is not called kept", "[anatomy]") {
  Load load;
  const auto tensors = load.streamed_tensors();
  load.trace.sample(2 * kModelBytes);
  load.release(tensors);
  for (int i = 0; i < 100; ++i) {
    load.wait_ms(10);
    load.trace.sample(kModelBytes);
  }

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("resident pages of a mapped model are named as what they are", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  const auto report = load.report();
  const auto found = findings_of(report, FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
}

TEST_CASE("a file that is mapped twice has no more pages than it is long", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes + 20 * kMiB);  // And some of the libraries.

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK_THAT(found[0].sentence, Catch::Contains("pages were resident at 30 ms: RSS counts them,"));
}

TEST_CASE("a file that several processes have mapped counts in each", "[anatomy]") {
  Load load;
  std::vector<trace::ProcessId> processes;
  for (std::uint32_t pid = 101; pid <= 102; ++pid) {
    const auto process = load.trace.process(pid, "worker");
    load.trace.on(load.trace.thread(process));
    load.wait_ms(10);
    load.trace.sample(kMiB, kMiB, process);
    load.wait_ms(10);
    load.trace.map(load.model, kModelBytes);
    load.wait_ms(10);
    load.trace.sample(kMiB, kMiB + kModelBytes, process);
  }

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 2 * kModelBytes);
  CHECK_THAT(found[0].sentence,
             Catch::Contains(", in several processes: RSS counts them in each,"));
}

TEST_CASE("a file mapped later does not hide what was the model's before", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes - kMiB);
  load.wait_ms(10);
  load.trace.map(load.trace.file("/lib/libcublas.so", kModelBytes), kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes + kMiB);

  const auto report = load.report();
  const auto found = findings_of(report, FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes - kMiB);
}

TEST_CASE("a mapped model of which no page came is not blamed for the libraries", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 2 * kModelBytes);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 2 * kModelBytes);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a mapping that comes with all its pages is named", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  load.trace.open_file(load.model);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes / 2);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes - kMiB);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
}

TEST_CASE("pages that came while a file was being mapped are sure as far as seen", "[anatomy]") {
  Load load;
  load.trace.open_file(load.model);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes / 2);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes / 2);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("At least"));
}

TEST_CASE("a model mapped before the first sample is named by the pages that came", "[anatomy]") {
  Load load;
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes / 8);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes - kModelBytes / 8);
  CHECK(found[0].at_ns == 30'000'000);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("At least 224.0 MiB of the model's"));
}

TEST_CASE("a model mapped before the first sample is named by the pages that went", "[anatomy]") {
  Load load;
  const auto mapping = load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);
  load.wait_ms(10);
  load.trace.release(mapping);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB);

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].at_ns == 20'000'000);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("256.0 MiB of the model's"));
}

TEST_CASE("pages that came while the model was being mapped may be missing", "[anatomy]") {
  Load load;
  load.trace.open_file(load.model);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes / 4);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes - kModelBytes / 4);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("At least"));
}

TEST_CASE("a mapped model is not blamed for libraries that are there at once", "[anatomy]") {
  Load load;
  load.trace.map(load.model, kModelBytes);
  for (int i = 0; i < 2; ++i) {
    load.wait_ms(10);
    load.trace.sample(kMiB, 2 * kModelBytes);
  }

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a mapped model is not blamed for pages that went with the process", "[anatomy]") {
  Load load;
  const auto mapping = load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 2 * kModelBytes);
  load.wait_ms(10);
  load.trace.release(mapping);
  load.wait_ms(10);
  load.trace.sample(0, 0);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a mapped model is not blamed for what the kernel took back of all", "[anatomy]") {
  Load load;
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 2 * kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, kMiB);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a mapped model is not blamed for a file that was mapped meanwhile", "[anatomy]") {
  Load load;
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  load.trace.map(load.trace.file("/data/images.tar", 2 * kModelBytes), kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("another process's pages are not the mapped model's", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  const auto child = load.trace.process(200, "loader");
  load.trace.on(load.trace.thread(child)).map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, kModelBytes, child);  // Its libraries.
  load.wait_ms(10);
  load.trace.sample(kMiB, kModelBytes, child);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a refused request before a bad end is a finding, model or not", "[anatomy]") {
  Load load;
  load.trace.fail(900 * kMiB, load.trace.stack({"malloc", "resize", "main"}));
  load.trace.session.exit_status = 134;

  const auto report = load.report(0);

  REQUIRE(report.anatomy.findings.size() == 1);
  CHECK(report.anatomy.findings[0].kind == FindingKind::kRefused);
  CHECK(report.anatomy.findings[0].bytes == 900 * kMiB);
}

TEST_CASE("a refused request that the program got over is none", "[anatomy]") {
  Load load;
  load.trace.fail(900 * kMiB, load.trace.stack({"malloc", "resize", "main"}));

  CHECK(load.report(0).anatomy.findings.empty());
}

TEST_CASE("mapped pages of processes that have ended are no longer among the most", "[anatomy]") {
  Load load;
  std::vector<trace::ProcessId> processes;
  for (std::uint32_t pid = 101; pid <= 103; ++pid) {
    const auto process = load.trace.process(pid, "worker");
    load.trace.on(load.trace.thread(process));
    load.wait_ms(10);
    load.trace.sample(kMiB, kMiB, process);
    load.wait_ms(10);
    (void)load.trace.map(load.model, kModelBytes);
    load.wait_ms(10);
    load.trace.sample(kMiB, kMiB + kModelBytes, process);
    load.wait_ms(10);
    load.trace.end_process(process);
    // Told late, it counts at its own time alone.
    load.wait_ms(10);
    load.trace.sample(kMiB, kMiB + kModelBytes / 2, process);
  }

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
}
