#include "reference_loaders/strategies/loaders.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/measured_load.hpp"
#include "reference_loaders/strategies/model_writer.hpp"
#include "reference_loaders/strategies/parallel_read.hpp"
#include "reference_loaders/strategies/system.hpp"
#include "reference_loaders/strategies/weights_file.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/strategies/tiny_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <malloc.h>

using namespace tidemark::loaders;
using namespace tidemark::loaders::strategies;

namespace {

const Variant& variant_of(const System& system, std::string_view name) {
  return *std::ranges::find(system.variants, name, &Variant::name);
}

LoadRequest request_for(const std::filesystem::path& file, const char* threads = "3") {
  return {.file = file, .options = {{"threads", threads}}};
}

std::uint64_t heap_in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

TEST_CASE("every variant gives the same checksum, and so do both formats", "[strategies]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  const System system = make_system();
  std::set<std::uint64_t> checksums;
  for (const Model& model : system.models) {
    model.make({.file = file, .weight_bytes = 24'000'004, .seed = 3});
    for (const Variant& variant : system.variants) {
      CAPTURE(model.name, variant.name);
      const MeasuredLoad load = measure_load(variant, request_for(file));
      CHECK(load.weight_bytes == 24'000'004);
      CHECK(load.file_bytes == model.file_bytes(24'000'004));
      CHECK(load.file_bytes == std::filesystem::file_size(file));
      checksums.insert(load.checksum);
    }
  }
  CHECK(checksums.size() == 1);
}

TEST_CASE("another seed is another model", "[strategies]") {
  const test::TemporaryFolder directory;
  const System system = make_system();
  const Variant& stream = variant_of(system, "stream");
  std::set<std::uint64_t> checksums;
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}}) {
    write_model(Format::kGguf, directory.file("model"), 1'000'000, seed);
    checksums.insert(measure_load(stream, request_for(directory.file("model"))).checksum);
  }
  CHECK(checksums.size() == 2);
}

TEST_CASE("quantised tensors are carried as they are", "[strategies]") {
  const test::TemporaryFolder directory;
  test::write_file(directory.file("tiny"), test::tiny_gguf());

  const Weights weights = load_stream(directory.file("tiny"));

  REQUIRE(weights.data.size() == 2);
  CHECK(weights.data[1].size() == 34);
  CHECK(weights.data[1][2] == std::byte{0});
  CHECK(weights.data[1][33] == std::byte{31});
}

TEST_CASE("the peak of each variant is predicted from the file", "[strategies]") {
  // F = 1100, W = 1000, w = 600, and what is no weight: 100.
  const ModelFacts facts{.file_bytes = 1100, .tensors = {{.bytes = 400}, {.bytes = 600}}};
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  struct Expected {
    const char* variant;
    std::uint64_t footprint;
    std::uint64_t mapped;
  };
  const auto expected = GENERATE(values<Expected>({{"blob", 1000 + 1100 + 100, 0},
                                                   {"init-replace", 2100, 0},
                                                   {"init-overwrite", 1100, 0},
                                                   {"mmap-copy", 1100, 1100},
                                                   {"stream", 1100, 0},
                                                   {"chunk-ring", 1100 + 4 * kMiB, 0},
                                                   {"pread-parallel", 1100, 0},
                                                   {"direct", 1100 + 16 * kMiB, 0},
                                                   {"mmap", 100, 1100},
                                                   {"mmap-populate", 100, 1100},
                                                   {"mmap-willneed", 100, 1100},
                                                   {"lazy", 700, 0}}));
  CAPTURE(expected.variant);
  const System system = make_system();

  const Prediction predicted = variant_of(system, expected.variant).predict(facts);

  CHECK(predicted.footprint_bytes == expected.footprint);
  CHECK(predicted.mapped_bytes == expected.mapped);
  CHECK(system.variants.size() == 12);
}

TEST_CASE("the lazy loader has one tensor in memory at a time", "[strategies]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  write_model(Format::kSafetensors, file, 16'000'000, 1);
  const auto model = load_lazy(file);
  const std::uint64_t before = heap_in_use();
  std::uint64_t most = 0;
  std::uint64_t largest = 0;
  std::uint64_t sum = 0;

  model->for_each_tensor([&](const TensorView& tensor) {
    most = std::max(most, heap_in_use() - before);
    largest = std::max<std::uint64_t>(largest, tensor.bytes.size());
    sum += tensor.bytes.size();
  });

  CHECK(sum == 16'000'000);
  CHECK(most < largest + 16384);
  CHECK(model->tensors().empty());
}

TEST_CASE("mapped weights are in the file's own pages, copied ones are not", "[strategies]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  write_model(Format::kGguf, file, 8'000'000, 1);
  const std::uint64_t before = heap_in_use();

  const Weights mapped = load_mapped(file, Mapping::Prefetch::kNone);
  const std::uint64_t taken = heap_in_use() - before;
  const Weights copied = load_mapped_copy(file);

  CHECK(taken < 1'000'000);
  CHECK(mapped.mapping->bytes().size() == std::filesystem::file_size(file));
  CHECK(mapped.data[0].data() == mapped.mapping->bytes().data() + mapped.index.tensors[0].offset);
  CHECK_FALSE(copied.mapping);
  for (std::size_t at = 0; at < copied.data.size(); ++at) {
    CHECK(std::ranges::equal(copied.data[at], mapped.data[at]));
  }
}

TEST_CASE("loaded tensors are aligned for vector code", "[strategies]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  write_model(Format::kGguf, file, 1'000'000, 1);

  const Weights streamed = load_stream(file);
  const Weights mapped = load_mapped(file, Mapping::Prefetch::kNone);

  for (std::size_t at = 0; at < streamed.data.size(); ++at) {
    CHECK(reinterpret_cast<std::uintptr_t>(streamed.data[at].data()) % Block::kAlignment == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(mapped.data[at].data()) % 32 == 0);
  }
}

TEST_CASE("any number of threads reads the same, and none is refused", "[strategies]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  write_model(Format::kGguf, file, 24'000'000, 1);
  const System system = make_system();
  const Variant& parallel = variant_of(system, "pread-parallel");
  const std::uint64_t expected =
      measure_load(variant_of(system, "stream"), request_for(file)).checksum;

  for (const char* const threads : {"1", "2", "64"}) {
    CHECK(measure_load(parallel, request_for(file, threads)).checksum == expected);
  }
  CHECK_THROWS_AS(parallel.load(request_for(file, "0")), UsageError);
  CHECK_THROWS_AS(parallel.load(request_for(file, "65")), UsageError);
}

TEST_CASE("a file system without O_DIRECT is read through the page cache, and a note says so",
          "[strategies]") {
  // The kernel's own files refuse O_DIRECT on every machine.
  const WeightsFile file("/proc/self/maps");
  const DirectFile direct(file);
  CHECK(direct.refusal() == "Invalid argument");

  const test::TemporaryFolder directory;
  write_model(Format::kGguf, directory.file("model"), 1'000'000, 1);
  const Weights weights = load_direct(directory.file("model"));
  REQUIRE(weights.notes.size() == 1);
  CHECK(weights.notes[0].name == "direct reads");
}

TEST_CASE("a file that was cut after it was opened ends a read with one sentence",
          "[strategies][robustness]") {
  const test::TemporaryFolder directory;
  const auto path = directory.file("model");
  test::write_file(path, std::string(10'000, 'x'));
  const WeightsFile file(path);
  DirectFile direct(file);
  std::filesystem::resize_file(path, 5'000);
  const Block block(12'288, DirectFile::kAlignment);

  CHECK(file.size() == 10'000);
  CHECK_THROWS_WITH(file.read_exactly(0, block.bytes().first(10'000)),
                    Catch::Contains("offset 5000: the file became shorter while it was read"));
  CHECK_THROWS_WITH(direct.read_up_to(0, block.bytes()), Catch::Contains("became shorter"));
  const Piece pieces[] = {{.offset = 0, .to = block.bytes().first(5'000)},
                          {.offset = 9'000, .to = block.bytes().last(1'000)}};
  CHECK_THROWS_WITH(read_in_parallel(file, pieces, 3), Catch::Contains("became shorter"));
}

TEST_CASE("the quick table has every variant, and both formats", "[strategies]") {
  const System system = make_system();
  for (const SuiteSize size : {SuiteSize::kQuick, SuiteSize::kFull}) {
    const auto rows = system.suite(size);
    for (const Variant& variant : system.variants) {
      CAPTURE(variant.name);
      CHECK(std::ranges::any_of(rows, [&](const SuiteRow& row) {
        return row.variant == variant.name && row.model == "gguf" && !row.cold;
      }));
    }
    for (const SuiteRow& row : rows) {
      CAPTURE(row.variant);
      CHECK(std::ranges::count(system.variants, row.variant, &Variant::name) == 1);
      CHECK(std::ranges::count(system.models, row.model, &Model::name) == 1);
    }
    CHECK(std::ranges::count(rows, true, &SuiteRow::cold) >= 4);
    CHECK(std::ranges::count(rows, "safetensors", &SuiteRow::model) >= 3);
  }
}
