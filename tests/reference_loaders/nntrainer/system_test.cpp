#include "reference_loaders/nntrainer/system.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/measured_load.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/nntrainer/tiny_network.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <sys/stat.h>

using namespace tidemark::loaders;

namespace {

Options default_options(const System& system) {
  Options options;
  for (const RunOption& option : system.options) {
    if (!option.value_name.empty()) {
      options[option.name] = option.default_value;
    }
  }
  return options;
}

const Model& model_named(const System& system, std::string_view name) {
  return *std::ranges::find(system.models, name, &Model::name);
}

}  // namespace

TEST_CASE("every variant of nntrainer that loads a model gives the same weights",
          "[nntrainer][system]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  const System system = nntrainer::make_system();
  const Model& model = model_named(system, "inference");
  model.make({.file = file, .weight_bytes = model.default_weight_bytes, .seed = 3});

  std::set<std::uint64_t> checksums;
  for (const Variant& variant : system.variants) {
    if (variant.loads(model.name)) {
      CAPTURE(variant.name);
      const MeasuredLoad load =
          measure_load(variant, {.file = file, .options = default_options(system)});
      CHECK(load.weight_bytes == 44'923'792);
      CHECK(load.tensors == 110);
      CHECK(load.predicted.footprint_bytes > 0);
      checksums.insert(load.checksum);
    }
  }
  CHECK(checksums.size() == 1);
}

TEST_CASE("a made-up model has the size that was announced", "[nntrainer][system]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("net.ini");
  const System system = nntrainer::make_system();
  const Model& model = model_named(system, "small");

  model.make({.file = file, .weight_bytes = model.default_weight_bytes, .seed = 1});

  std::uint64_t bytes = 0;
  for (const auto& one : model.all_files(file)) {
    bytes += std::filesystem::file_size(one);
  }
  CHECK(bytes == model.file_bytes(0));
  CHECK(std::filesystem::exists(directory.file("net.bin")));
  CHECK_THROWS_AS(model.make({.file = directory.file("net.bin"), .seed = 1}), UsageError);
}

TEST_CASE("a description may name its weights", "[nntrainer][system]") {
  const test::TemporaryFolder directory;
  const System system = nntrainer::make_system();
  test::write_file(directory.file("net.ini"),
                   nntrainer::tiny_network::with(nntrainer::tiny_network::tiny_description(),
                                                 "Loss = cross", "Save_Path = Other.bin"));
  test::write_file(directory.file("Other.bin"), std::string(146 * 4, '\0'));

  const MeasuredLoad load =
      measure_load(system.variants.front(),
                   {.file = directory.file("net.ini"), .options = default_options(system)});

  CHECK(load.weight_bytes == 146 * 4);
}

TEST_CASE("options of nntrainer that make no sense are refused", "[nntrainer][system]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("net.ini");
  test::write_file(file, nntrainer::tiny_network::tiny_inference());
  test::write_file(directory.file("net.bin"), std::string(146 * 4, '\0'));
  const System system = nntrainer::make_system();
  struct Wrong {
    const char* variant;
    const char* option;
    const char* value;
  };
  const auto wrong = GENERATE(values<Wrong>({{"window", "layers", "0"},
                                             {"adaptive", "layers", "many"},
                                             {"lookahead", "lookahead", "0"},
                                             {"fsu", "lookahead", "0"},
                                             {"resident", "work", "none"},
                                             {"resident", "scale", "-1"}}));
  CAPTURE(wrong.variant, wrong.option);
  Options options = default_options(system);
  options[wrong.option] = wrong.value;
  const Variant& variant = *std::ranges::find(system.variants, wrong.variant, &Variant::name);

  CHECK_THROWS_WITH(variant.load({.file = file, .options = options}),
                    Catch::Contains(std::string("--") + wrong.option));
}

TEST_CASE("only regular files are opened, so that nntrainer never hangs", "[nntrainer][system]") {
  const test::TemporaryFolder directory;
  const System system = nntrainer::make_system();
  const auto pipe = directory.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  test::write_file(directory.file("net.ini"), nntrainer::tiny_network::tiny_description());
  REQUIRE(mkfifo(directory.file("net.bin").c_str(), 0600) == 0);

  for (const auto& file : {pipe, directory.file("net.ini")}) {
    CHECK_THROWS_WITH(
        system.variants.front().load({.file = file, .options = default_options(system)}),
        Catch::Contains("not a regular file"));
  }
}
