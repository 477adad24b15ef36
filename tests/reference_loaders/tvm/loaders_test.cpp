#include "reference_loaders/tvm/loaders.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/cli/registry.hpp"
#include "reference_loaders/measured_load.hpp"
#include "reference_loaders/tvm/params_writer.hpp"
#include "tests/reference_loaders/model_files.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

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

TEST_CASE("every variant of a system gives the same checksum", "[tvm]") {
  const test::TempDirectory directory;
  const auto file = directory.file("model");
  for (const System& system : systems()) {
    system.make({.file = file, .weight_bytes = 4'000'000, .seed = 3});
    const MeasuredLoad first = measure_load(system.variants.front(), file);
    CHECK(first.weight_bytes == 4'000'000);
    CHECK(first.file_bytes == system.file_bytes(4'000'000));
    for (const Variant& variant : system.variants) {
      CAPTURE(system.name, variant.name);
      CHECK(measure_load(variant, file).checksum == first.checksum);
    }
  }
}

TEST_CASE("the peaks of the pair are predicted as 2W and W", "[tvm]") {
  const ModelFacts facts{.file_bytes = 1100, .tensor_bytes = {400, 600}};
  const System& tvm = find_system("tvm");

  CHECK(find_variant(tvm, "blob").predicted_peak(facts) == 2100);
  CHECK(find_variant(tvm, "stream").predicted_peak(facts) == 1000);
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
