// Weights that were packed into another order: for and against.
#include "analyzer/report/anatomy/what_if_text.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

struct Packing : Load {
  void read_as_it_is() {
    whole = blob();
    trace.origin(*whole, 0, model, 0, kModelBytes);
  }
  void pack(std::uint64_t from_ms = 0, std::uint64_t seen = kTensors) {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      wait_ms(10);
      made.push_back(trace.allocate(kTensorBytes, pack_stack));
      if (i < seen) {
        trace.packed(made.back(), model, from_ms, i * kTensorBytes);
      }
    }
  }
  std::vector<analyzer::Finding> found() {
    wait_ms(1000);
    release(made);
    if (whole) {
      trace.release(*whole);
    }
    return findings_of(report(), FindingKind::kTwice);
  }
  trace::StackId pack_stack = trace.stack({"malloc", "Pack loader.cpp:40", "main"});
  std::optional<std::uint64_t> whole;
  std::vector<std::uint64_t> made;
};

}  // namespace

TEST_CASE("weights that were packed beside the file's own bytes are there once more", "[anatomy]") {
  Packing load;
  load.read_as_it_is();
  load.pack();

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].remedy == "Had the original gone once packed");
  CHECK(found[0].sentence ==
        "256.0 MiB in 16 blocks of Pack (loader.cpp:40) hold the weights in another order, as a "
        "loop packs them: values, or short runs of them, that lie side by side there stand at one "
        "distance from each other in the file. Its own bytes are still there: 256.0 MiB in 1 block "
        "of read_file "
        "(loader.cpp:40).");
  // What is packed stays.
  CHECK(analyzer::finding_label(found[0]) ==
        "weights once more in another order, read_file (loader.cpp:40)");
}

TEST_CASE("beside a mapped file the packed weights are what there is too much", "[anatomy]") {
  Packing load;
  load.trace.origin(load.trace.map(load.model, kModelBytes), 0, load.model, 0, kModelBytes);
  load.pack();
  load.block("Other", kTensorBytes);
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == kTensorBytes);
  CHECK(found[0].remedy == "Used as it is mapped");
}

TEST_CASE("a tensor that was packed several times is there once more each time", "[anatomy]") {
  // The first two tensors three times, and each of the others once.
  enum class Of : std::uint8_t { kOneTensor, kOtherSizes, kNoTensors };
  const auto of = GENERATE(Of::kOneTensor, Of::kOtherSizes, Of::kNoTensors);
  CAPTURE(static_cast<int>(of));
  Packing load;
  const std::uint64_t parts = of == Of::kOtherSizes ? 2 : 1;
  for (std::uint64_t i = 0; i < kTensors / parts && of != Of::kNoTensors; ++i) {
    load.trace.tensor(load.model, parts * kTensorBytes / 4, parts * kTensorBytes,
                      "layer." + std::to_string(i) + ".w");
  }
  load.read_as_it_is();
  const auto pack = [&load](std::uint64_t tensor) {
    load.wait_ms(10);
    load.made.push_back(load.trace.allocate(kTensorBytes, load.pack_stack));
    load.trace.packed(load.made.back(), load.model, 0, tensor * kTensorBytes + 4096);
  };
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    pack(i);
  }
  for (const std::uint64_t tensor : {0U, 1U, 0U, 1U}) {
    pack(tensor);
  }

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == kModelBytes + 4 * kTensorBytes);
  const bool is_again = of == Of::kOneTensor;
  CHECK(found[0].copies == (is_again ? 4 : 0));
  CHECK(found[0].peak_with_one_bytes.value_or(0) == (is_again ? kModelBytes : 0));
  CHECK((found[0].sentence.find("4 of the packed blocks, 64.0 MiB, hold what another one of them "
                                "holds, too.") != std::string::npos) == is_again);
}

TEST_CASE("of the original no more goes than was packed, however often it was", "[anatomy]") {
  Packing load;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.tensor(load.model, kTensorBytes / 4, kTensorBytes,
                      "layer." + std::to_string(i) + ".w");
  }
  load.read_as_it_is();
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.wait_ms(10);
    load.made.push_back(load.trace.allocate(kTensorBytes, load.pack_stack));
    load.trace.packed(load.made.back(), load.model, 0, (i % 4) * kTensorBytes);
  }
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == 2 * kModelBytes - 4 * kTensorBytes);
  CHECK(found[0].peak_with_one_bytes.value_or(0) == kModelBytes);
}

TEST_CASE("weights that were packed piece by piece are there once", "[anatomy]") {
  Packing load;
  const std::uint64_t piece = load.block("piece", kTensorBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.read_into(load.model, kTensorBytes, piece);
  }
  load.trace.origin(piece, 0, load.model, 0, kTensorBytes);
  SECTION("the piece is gone") {
    load.trace.release(piece);
    load.pack();
    CHECK(load.found().empty());
  }
  SECTION("the piece is there") {
    load.pack();
    CHECK(load.found().empty());
  }
}

TEST_CASE("what was packed long after the peak, and of no file of the model, is not blamed",
          "[anatomy]") {
  Packing load;
  load.read_as_it_is();
  SECTION("long after") {
    load.pack(100'000);
    CHECK(load.found().empty());
  }
  SECTION("another file") {
    load.model = load.trace.file("/data/other.bin", kModelBytes);
    load.pack();
    CHECK(load.found().empty());
  }
}

TEST_CASE("blocks of the same stack are packed, too, if all have the size of the file",
          "[anatomy]") {
  Packing load;
  load.read_as_it_is();
  SECTION("a quarter was seen") {
    load.pack(0, 4);
    const auto found = load.found();
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == kModelBytes);
    CHECK(found[0].inferred_blocks == 12);
    CHECK(found[0].peak_without_bytes == kModelBytes);
    CHECK_THAT(found[0].sentence,
               Catch::Contains("4 of them by their values and 12 by their place"));
  }
  SECTION("less than that") {
    load.pack(0, 3);
    CHECK(load.found()[0].bytes == 3 * kTensorBytes);
  }
  SECTION("there are more than the file has") {
    load.pack(0, 8);
    load.made.push_back(load.trace.allocate(kTensorBytes, load.pack_stack));
    CHECK(load.found()[0].inferred_blocks == 0);
  }
}

TEST_CASE("what was packed from is known by its values, too", "[anatomy]") {
  Packing load;
  const std::string type = GENERATE("", "f64");
  CAPTURE(type);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.tensor(load.model, kTensorBytes / 4, kTensorBytes, "layer." + std::to_string(i));
  }
  const std::uint64_t piece = load.block("piece", kTensorBytes);
  std::vector<std::uint64_t> parsed;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.read_into(load.model, kTensorBytes, piece);
    parsed.push_back(load.block("Parse", type.empty() ? kTensorBytes : 2 * kTensorBytes));
    load.trace.match(parsed.back(), load.model, i * kTensorBytes, type);
  }
  load.trace.release(piece);
  load.pack();
  load.made.insert(load.made.end(), parsed.begin(), parsed.end());
  const auto found = load.found();
  // Of another type it is not the file's own.
  REQUIRE(found.size() == (type.empty() ? 1 : 0));
  if (type.empty()) {
    CHECK(found[0].bytes == kModelBytes);
    CHECK(found[0].peak_without_bytes == kModelBytes);
  }
}

TEST_CASE("what else is in the block of an original stays", "[anatomy]") {
  Packing load;
  const std::uint64_t room = load.block("arena", kModelBytes + 8 * kTensorBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.read_into(load.model, kTensorBytes, room);
  }
  load.trace.origin(room, 0, load.model, 0, kModelBytes);
  load.whole = room;
  load.pack();
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == kModelBytes + 8 * kTensorBytes);
}

TEST_CASE("what was packed from is known by its values where the file lists no tensors",
          "[anatomy]") {
  Packing load;
  const std::uint64_t buffer = load.block("buffer", kTensorBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.trace.read_into(load.model, kTensorBytes, buffer);
  }
  load.trace.release(buffer);
  load.whole = load.block("array", kModelBytes);
  SECTION("it is there at the peak") {
    load.trace.as_in_file(*load.whole, load.model, 0);
    load.pack();
    const auto found = load.found();
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == kModelBytes);
    CHECK(found[0].peak_without_bytes == kModelBytes);
    CHECK_THAT(found[0].sentence,
               Catch::Contains("Its own bytes are still there: 256.0 MiB in 1 block of array"));
  }
  SECTION("something else was in it by then") {
    load.trace.as_in_file(*load.whole, load.model, 0, load.now_ms());
    load.pack();
    CHECK(load.found().empty());
  }
}
