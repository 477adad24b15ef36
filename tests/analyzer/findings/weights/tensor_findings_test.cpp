// Findings by the sizes of blocks, for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::Load;

namespace {

constexpr std::uint64_t kCount = 20;

/// In bytes of float32: 1, 2, 3, 4, 5, 1, 2 ... MiB.
std::uint64_t tensor_bytes(std::uint64_t i) {
  return (i % 5 + 1) * kMiB;
}
constexpr std::uint64_t kBytes = 4 * (1 + 2 + 3 + 4 + 5) * kMiB;

/// A model whose tensors the trace knows.
class ListedLoad : public Load {
 public:
  ListedLoad() {
    model = trace.file("/models/listed.safetensors", kBytes);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      trace.tensor(model, tensor_bytes(i) / 4, tensor_bytes(i));
    }
  }
  std::vector<std::uint64_t> blocks(const std::string& function, std::uint64_t element_bytes = 4) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      all.push_back(block(function, tensor_bytes(i) / 4 * element_bytes));
    }
    return all;
  }
  /// Blocks that the file is read into.
  std::vector<std::uint64_t> read_tensors(const std::string& function) {
    auto all = blocks(function);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      trace.read_into(model, tensor_bytes(i), all[i]);
    }
    return all;
  }
  std::uint64_t read_blob() {
    const auto into = block("read_file", kBytes);
    trace.read_into(model, kBytes, into);
    return into;
  }
};

}  // namespace

TEST_CASE("tensors that loops copy out of what was read are there twice", "[anatomy]") {
  ListedLoad load;
  load.read_blob();
  load.blocks("Empty");

  const auto twice = findings_of(load.report(kBytes), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].title == "two copies of the weights");
  CHECK(twice[0].bytes == kBytes);
  CHECK(twice[0].peak_without_bytes == kBytes);
  CHECK(twice[0].remedy == "Without");
  CHECK_THAT(
      twice[0].sentence,
      Catch::Contains(
          "as read, in 1 block of read_file (loader.cpp:40), and tensor by "
          "tensor: all 20 tensors of 64.0 KiB or more have a block of their size, in the order "
          "of the file, among 20 blocks of Empty (loader.cpp:40), 60.0 MiB."));
}

TEST_CASE("tensors that are made from what was read are so in whatever order", "[anatomy]") {
  ListedLoad load;
  load.read_blob();
  // As a hash map goes through them; the sizes are those of other tensors first.
  const bool at_once = GENERATE(true, false);
  CAPTURE(at_once);
  load.wait_ms(at_once ? 0 : 1000);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    load.block("collect", tensor_bytes(i * 7 % kCount));
  }
  const auto twice = findings_of(load.report(kBytes), FindingKind::kTwice);
  // Long after the load they may be gradients of weights that lie where they were read.
  REQUIRE(twice.size() == (at_once ? 1 : 0));
  if (at_once) {
    CHECK(twice[0].peak_without_bytes == kBytes);
    CHECK_THAT(twice[0].sentence, !Catch::Contains("in the order of the file"));
  }
}

TEST_CASE("a model that was built before it is loaded is there twice", "[anatomy]") {
  ListedLoad load;
  load.blocks("Linear");
  load.read_tensors("load_tensor");

  const auto twice = findings_of(load.report(kBytes), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].peak_without_bytes == kBytes);
  CHECK(twice[0].remedy == "With one of them");
  CHECK_THAT(twice[0].sentence, Catch::Contains("of Linear (loader.cpp:40)"));
  CHECK_THAT(twice[0].sentence, Catch::Contains("of load_tensor (loader.cpp:40)"));
}

TEST_CASE("tensors that loops make anew again and again are there twice each time", "[anatomy]") {
  ListedLoad load;
  const auto read = load.read_tensors("load_tensor");
  const auto scaled = load.blocks("Scale");
  load.wait_ms(10);
  load.release(read);
  // Without those that were read, these and the ones before them make a peak as high.
  const auto shifted = load.blocks("Shift");
  load.release(scaled);

  const auto twice = findings_of(load.report(kBytes), FindingKind::kTwice);

  REQUIRE(twice.size() == 2);
  CHECK(twice[0].peak_without_bytes == 2 * kBytes);
  CHECK_THAT(twice[0].sentence, Catch::Contains("in 20 blocks of load_tensor (loader.cpp:40)") &&
                                    Catch::Contains("again in 20 blocks of Scale"));
  CHECK(twice[1].peak_without_bytes == kBytes);
  CHECK_THAT(twice[1].sentence, Catch::StartsWith("Then the peak is at ") &&
                                    Catch::Contains("by the sizes of blocks") &&
                                    Catch::Contains("of Scale (loader.cpp:40)") &&
                                    Catch::Contains("of Shift (loader.cpp:40)"));
}

TEST_CASE("tensors with more bytes an element than the file has are said", "[anatomy]") {
  ListedLoad load;
  const std::uint64_t each = GENERATE(8U, 56U);
  const auto read = load.read_tensors("read_tensor");
  load.blocks("boxed", each);

  const auto report = load.report(kBytes);
  const auto widened = findings_of(report, FindingKind::kWidened);

  REQUIRE(widened.size() == 1);
  CHECK(widened[0].bytes == kBytes / 4 * each);
  CHECK(widened[0].peak_without_bytes == 2 * kBytes);
  CHECK(widened[0].remedy == "With 4 bytes an element");
  CHECK_THAT(
      widened[0].sentence,
      Catch::Contains(
          "in 20 blocks of boxed (loader.cpp:40) hold all 20 tensors of 64.0 KiB or more with " +
          std::to_string(each) + " bytes an element; the file has 4 bytes"));
}

TEST_CASE("weights that are there once, as the file has them, are no finding", "[anatomy]") {
  ListedLoad load;
  load.read_tensors("load_tensor");
  load.block("activations", kBytes / 2);

  const auto report = load.report(kBytes);

  CHECK(findings_of(report, FindingKind::kTwice).empty());
  CHECK(findings_of(report, FindingKind::kWidened).empty());
}

TEST_CASE("a copy that was seen is not found again by its sizes", "[anatomy]") {
  ListedLoad load;
  const auto blob = load.read_blob();
  const auto tensors = load.blocks("Empty");
  for (std::uint64_t i = 0; i < kCount; ++i) {
    load.trace.copy(tensor_bytes(i), blob, tensors[i]);
  }

  const auto twice = findings_of(load.report(kBytes), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK_THAT(twice[0].sentence, Catch::Contains("copied from it"));
}

TEST_CASE("what was read and is gone at the peak is no second copy", "[anatomy]") {
  ListedLoad load;
  const auto staging = load.read_blob();
  load.trace.release(staging);
  load.blocks("Empty");
  load.block("activations", kBytes);

  CHECK(findings_of(load.report(kBytes), FindingKind::kTwice).empty());
}

TEST_CASE("tensors of another file than the model say nothing", "[anatomy]") {
  Load load;
  const auto other = load.trace.file("/models/other.safetensors", kBytes);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    load.trace.tensor(other, tensor_bytes(i) / 4, tensor_bytes(i));
  }
  load.blob();
  for (std::uint64_t i = 0; i < kCount; ++i) {
    load.block("Empty", tensor_bytes(i));
  }

  CHECK(findings_of(load.report(), FindingKind::kTwice).empty());
}

TEST_CASE("gradients and an optimizer's state are no copies of the weights", "[anatomy]") {
  const bool is_at_once = GENERATE(false, true);
  ListedLoad load;
  load.read_tensors("load_tensor");
  if (!is_at_once) {
    load.wait_ms(60'000);
  }
  for (std::uint64_t i = kCount; i-- > 0;) {
    load.block("backward", tensor_bytes(i));
  }
  load.blocks("exp_avg");
  load.blocks("exp_avg_sq", 8);

  const auto report = load.report(kBytes);

  CHECK(findings_of(report, FindingKind::kTwice).empty());
  CHECK(findings_of(report, FindingKind::kWidened).empty());
}

TEST_CASE("weights that are converted once they are loaded are there twice", "[anatomy]") {
  ListedLoad load;
  load.read_tensors("load_tensor");
  load.blocks("float");

  const auto twice = findings_of(load.report(kBytes), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK_THAT(
      twice[0].sentence,
      Catch::Contains("all 20 tensors of 64.0 KiB or more in 20 blocks of load_tensor "
                      "(loader.cpp:40), 60.0 MiB, "
                      "and again in 20 blocks of float (loader.cpp:40), 60.0 MiB. No read or copy "
                      "into the latter was seen"));
}

TEST_CASE("weights that are converted at once are so in whatever order", "[anatomy]") {
  // As a hash map goes through them. Long after the load it may be something else's.
  const bool is_at_once = GENERATE(true, false);
  const std::uint64_t element_bytes = GENERATE(2U, 4U, 8U);
  CAPTURE(is_at_once, element_bytes);
  ListedLoad load;
  load.read_tensors("load_tensor");
  if (!is_at_once) {
    load.wait_ms(60'000);
  }
  for (std::uint64_t i = 0; i < kCount; ++i) {
    load.block("to_dtype", tensor_bytes(i * 7 % kCount) / 4 * element_bytes);
  }

  const auto report = load.report(kBytes);

  // As many bytes an element as the weights have, gradients have too.
  const bool is_other = element_bytes != 4 && is_at_once;
  CHECK(findings_of(report, FindingKind::kTwice).size() == (is_other ? 1 : 0));
  CHECK(findings_of(report, FindingKind::kWidened).size() ==
        (is_other && element_bytes == 8 ? 1 : 0));
}

TEST_CASE("three copies are said in one sentence, with the peak of one alone", "[anatomy]") {
  ListedLoad load;
  load.blocks("Linear");
  load.read_tensors("load_tensor");
  load.blocks("rename");

  const auto found = findings_of(load.report(kBytes), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "3 copies of the weights");
  CHECK(found[0].peak_without_bytes == kBytes);
  CHECK_THAT(found[0].sentence, Catch::Contains("in memory 3 times at the peak"));
  CHECK_THAT(found[0].sentence, Catch::Contains("No read or copy into 2 of them was seen."));
}

TEST_CASE("a piece that is about to be unpacked is not there twice", "[anatomy]") {
  Load load;
  constexpr std::uint64_t kManyBytes = 2 * kBytes;
  load.model = load.trace.file("/models/listed.safetensors", kManyBytes);
  for (std::uint64_t i = 0; i < 2 * kCount; ++i) {
    load.trace.tensor(load.model, tensor_bytes(i) / 4, tensor_bytes(i));
  }
  const auto staging = load.block("read_piece", 7 * kMiB);
  for (std::uint64_t i = 0; i < 2 * kCount; ++i) {
    load.trace.read_into(load.model, tensor_bytes(i), staging);
  }
  for (std::uint64_t i = 0; i < kCount + 4; ++i) {  // not the others, so far
    load.block("Empty", tensor_bytes(i));
  }

  CHECK(findings_of(load.report(kManyBytes), FindingKind::kTwice).empty());
}

TEST_CASE("two processes that load the model have one copy each", "[anatomy]") {
  ListedLoad load;
  load.read_tensors("load_tensor");
  const auto thread = load.trace.thread(load.trace.process(200, "worker"));
  load.trace.on(thread);
  load.read_tensors("load_tensor");

  CHECK(findings_of(load.report(kBytes), FindingKind::kTwice).empty());
}

TEST_CASE("what one process has read and another one has unpacked is there once in each",
          "[anatomy]") {
  ListedLoad load;
  load.read_blob();
  load.trace.on(load.trace.thread(load.trace.process(200, "worker")));
  load.blocks("Empty");

  CHECK(findings_of(load.report(kBytes), FindingKind::kTwice).empty());
}

TEST_CASE("a file that is loaded twice is said to be", "[anatomy]") {
  ListedLoad load;
  load.read_tensors("load_tensor");
  load.read_tensors("load_again");

  const auto twice = findings_of(load.report(kBytes), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK_THAT(twice[0].sentence, Catch::Contains("All were filled from the file."));
}

namespace {

/// A file of an unknown format, which is read into a block for each of its parts.
class UnlistedLoad : public Load {
 public:
  UnlistedLoad() { model = trace.file("/models/model.bin", kBytes); }
  std::vector<std::uint64_t> read_parts() {
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      all.push_back(block("read_part", tensor_bytes(i)));
      trace.read_into(model, tensor_bytes(i), all.back());
    }
    return all;
  }
  std::vector<std::uint64_t> blocks(std::uint64_t times) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      all.push_back(block("convert", times * tensor_bytes(i)));
    }
    return all;
  }
};

}  // namespace

TEST_CASE("what has a multiple of all that a file of any format was read into is wider",
          "[anatomy]") {
  UnlistedLoad load;
  const auto parts = load.read_parts();
  const std::uint64_t times = GENERATE(2U, 4U);
  load.blocks(times);
  load.release(parts);

  const auto widened = findings_of(load.report(kBytes), FindingKind::kWidened);

  REQUIRE(widened.size() == 1);
  CHECK(widened[0].title == "more bytes than in the file");
  CHECK(widened[0].bytes == times * kBytes);
  CHECK(widened[0].peak_without_bytes == 2 * kBytes);
  CHECK(widened[0].remedy == "With the file's bytes");
  CHECK_THAT(
      widened[0].sentence,
      Catch::Contains("in 20 blocks of convert (loader.cpp:40) have " + std::to_string(times) +
                      " times the sizes of the 20 blocks of 64.0 KiB or more that the file "
                      "was read into"));
}

TEST_CASE("what has other sizes, or came long after the load, is no wider form of the file",
          "[anatomy]") {
  UnlistedLoad load;
  const auto parts = load.read_parts();
  const std::string what = GENERATE("same sizes", "an optimizer's state", "activations", "more");
  CAPTURE(what);
  if (what == "same sizes") {
    load.blocks(1);
  }
  if (what == "an optimizer's state") {
    load.wait_ms(5000);
    load.blocks(2);
    load.release(parts);
  }
  if (what == "activations") {
    for (std::uint64_t i = 0; i < kCount; ++i) {
      load.block("activations", (i + 3) * kMiB + 300'000 * i);
    }
  }
  std::uint64_t model_bytes = kBytes;
  if (what == "more") {  // Most of the file is somewhere else.
    load.blocks(2);
    load.trace.read_into(load.trace.file("/models/other.bin", 4 * kBytes), 4 * kBytes,
                         load.block("other", 8 * kBytes));
    model_bytes += 4 * kBytes;
  }
  CHECK(findings_of(load.report(model_bytes), FindingKind::kWidened).empty());
}

TEST_CASE("what was read into a part of each block and fills it is wider in memory", "[anatomy]") {
  UnlistedLoad load;
  const std::uint64_t times = GENERATE(2U, 4U);
  const bool is_touched = GENERATE(true, false);
  CAPTURE(times, is_touched);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const auto into = load.block("read_part", times * tensor_bytes(i));
    load.trace.read_into(load.model, tensor_bytes(i), into);
    load.trace.look(into, load.now_ms(), is_touched ? times * tensor_bytes(i) : tensor_bytes(i));
  }

  const auto widened = findings_of(load.report(kBytes), FindingKind::kWidened);

  // Else it is room to spare.
  REQUIRE(widened.size() == (is_touched ? 1 : 0));
  if (is_touched) {
    CHECK(widened[0].bytes == times * kBytes);
    CHECK(widened[0].peak_without_bytes == kBytes);
  }
}
