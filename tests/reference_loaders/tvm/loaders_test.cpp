#include "reference_loaders/tvm/loaders.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/cli/registry.hpp"
#include "reference_loaders/measured_load.hpp"
#include "reference_loaders/tvm/complete_stream.hpp"
#include "reference_loaders/tvm/params_writer.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>

#include <sys/stat.h>

using namespace tidemark::loaders;
using namespace tidemark::loaders::tvm;

TEST_CASE("both loaders load identical bytes", "[tvm]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model.params");
  write_complete_file(file,
                      [](Stream& stream) { write_random_params(stream, model_of(5'000'000), 42); });

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
  const test::TemporaryFolder directory;
  test::write_file(directory.file("tiny"), test::tiny_params_file());
  std::string written;
  MemoryStringStream stream(&written);

  write_params(stream, load_stream(directory.file("tiny")));

  CHECK(written == test::tiny_params_file());
}

namespace {

std::uint64_t bytes_of(const std::vector<std::filesystem::path>& files) {
  std::uint64_t bytes = 0;
  for (const auto& file : files) {
    bytes += std::filesystem::file_size(file);
  }
  return bytes;
}

}  // namespace

TEST_CASE("every variant of every model gives the same checksum", "[tvm]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  const System& system = find_system("tvm");
  // All models of one size and seed hold the same tensors under the same names.
  std::set<std::uint64_t> checksums;
  for (const Model& model : system.models) {
    model.make({.file = file, .weight_bytes = 4'000'000, .seed = 3});
    CHECK(bytes_of(model.all_files(file)) == model.file_bytes(4'000'000));
    for (const Variant& variant : system.variants) {
      if (variant.loads(model.name)) {
        const MeasuredLoad load = measure_load(variant, {.file = file});
        CAPTURE(model.name, variant.name);
        CHECK(load.weight_bytes == 4'000'000);
        checksums.insert(load.checksum);
      }
    }
  }
  CHECK(checksums.size() == 1);
}

TEST_CASE("peaks are predicted from the copies that each chain holds at once", "[tvm]") {
  const ModelFacts facts{
      .file_bytes = 1100, .tensors = {{.bytes = 400}, {.bytes = 600}}, .work_bytes = 50};
  const System& tvm = find_system("tvm");
  const auto peak = [&](const char* variant) {
    return find_variant(tvm, variant).predict(facts).footprint_bytes;
  };

  CHECK(peak("blob") == 2100);
  CHECK(peak("stream") == 1000);
  CHECK(peak("exec-blob") == 4300);
  CHECK(peak("exec-stream") == 3200);
  CHECK(peak("relax") == 3200);
  CHECK(peak("shards") == 1050);
}

TEST_CASE("only regular files are opened, so that no loader hangs", "[tvm][robustness]") {
  const test::TemporaryFolder directory;
  const auto pipe = directory.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);

  for (const Variant& variant : find_system("tvm").variants) {
    CAPTURE(variant.name);
    CHECK_THROWS_WITH(variant.load({.file = pipe}), Catch::Contains("not a regular file"));
    CHECK_THROWS_WITH(variant.load({.file = "/"}), Catch::Contains("not a regular file"));
    CHECK_THROWS_WITH(variant.load({.file = directory.file("missing")}),
                      Catch::Contains("No such file"));
  }
}
