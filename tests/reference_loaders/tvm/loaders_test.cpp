#include "reference_loaders/tvm/loaders.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/cli/registry.hpp"
#include "reference_loaders/measured_load.hpp"
#include "reference_loaders/tvm/params_writer.hpp"
#include "tests/reference_loaders/model_files.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include <sys/stat.h>

using namespace tidemark::loaders;
using namespace tidemark::loaders::tvm;

TEST_CASE("both loaders load identical bytes", "[tvm]") {
  const test::TempDirectory directory;
  const auto file = directory.file("model.params");
  write_random_params_file(file, model_of(5'000'000), 42);

  const Params blob = load_blob(file);
  const Params stream = load_stream(file);

  REQUIRE(blob.size() == stream.size());
  for (const auto& [name, tensor] : blob) {
    CAPTURE(name);
    CHECK(std::ranges::equal(tensor.shape(), stream.at(name).shape()));
    CHECK(std::ranges::equal(tensor.data(), stream.at(name).data()));
  }
}

TEST_CASE("a loaded file is written back as it was", "[tvm]") {
  const test::TempDirectory directory;
  test::write_file(directory.file("tiny"), test::tiny_params_file());
  std::string written;
  MemoryStringStream stream(&written);

  write_params(stream, load_stream(directory.file("tiny")));

  CHECK(written == test::tiny_params_file());
}

TEST_CASE("every variant that loads a model gives the same checksum", "[tvm]") {
  const test::TempDirectory directory;
  const auto file = directory.file("model");
  const System& system = find_system("tvm");
  for (const Model& model : system.models) {
    model.make({.file = file, .weight_bytes = 4'000'000, .seed = 3});
    std::set<std::uint64_t> checksums;
    for (const Variant& variant : system.variants) {
      if (variant.loads(model.name)) {
        const MeasuredLoad load = measure_load(variant, {.file = file});
        CAPTURE(model.name, variant.name);
        CHECK(load.weight_bytes == 4'000'000);
        CHECK(load.file_bytes == model.file_bytes(4'000'000));
        checksums.insert(load.checksum);
      }
    }
    CHECK(checksums.size() == 1);
  }
}

TEST_CASE("the peaks of the pair are predicted as 2W and W", "[tvm]") {
  const ModelFacts facts{.file_bytes = 1100, .tensors = {{.bytes = 400}, {.bytes = 600}}};
  const System& tvm = find_system("tvm");

  CHECK(find_variant(tvm, "blob").predict(facts).footprint_bytes == 2100);
  CHECK(find_variant(tvm, "stream").predict(facts).footprint_bytes == 1000);
}

TEST_CASE("only regular files are opened, so that no loader hangs", "[tvm][robustness]") {
  const test::TempDirectory directory;
  const auto pipe = directory.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);

  for (const auto& load : {load_blob, load_stream}) {
    CHECK_THROWS_WITH(load(pipe), Catch::Contains("not a regular file"));
    CHECK_THROWS_WITH(load("/"), Catch::Contains("not a regular file"));
    CHECK_THROWS_WITH(load(directory.file("missing")), Catch::Contains("No such file"));
  }
}
