#include "reference_loaders/ggml/model_writer.hpp"

#include "tests/reference_loaders/ggml/tiny_model.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <sstream>
#include <system_error>

using namespace tidemark::loaders;
using namespace tidemark::loaders::ggml;

namespace {

std::string written(const LoadedModelFile& model) {
  std::ostringstream stream;
  write_model(stream, model);
  return stream.str();
}

std::string random_model(const Hyperparameters& sizes, std::uint64_t seed) {
  std::ostringstream stream;
  write_random_model(stream, sizes, seed);
  return stream.str();
}

}  // namespace

TEST_CASE("a model is written as it was by hand", "[ggml]") {
  const std::string file = GENERATE(test::tiny_model_file(), test::tiny_model_file_with_head());

  CHECK(written(test::read_model_from(file)) == file);
}

TEST_CASE("a made-up model has the size that was announced", "[ggml]") {
  const Hyperparameters& tiny = shape_named("tiny");

  CHECK(random_model(tiny, 1).size() == random_model_file_bytes(tiny));
}

TEST_CASE("a made-up model is read and written back as it was", "[ggml]") {
  const std::string file = random_model(shape_named("tiny"), 1);

  CHECK(written(test::read_model_from(file)) == file);
}

TEST_CASE("a seed gives one model and another seed another", "[ggml]") {
  const Hyperparameters& tiny = shape_named("tiny");

  CHECK(random_model(tiny, 1) == random_model(tiny, 1));
  CHECK(random_model(tiny, 1) != random_model(tiny, 2));
}

TEST_CASE("gains are around one and all else around zero", "[ggml]") {
  const LoadedModelFile model = test::read_model_from(random_model(shape_named("tiny"), 1));

  CHECK(model.tensors.at("model/ln_f/g")->data<float>()[0] == Approx(1).margin(0.05));
  CHECK(model.tensors.at("model/ln_f/b")->data<float>()[0] == Approx(0).margin(0.05));
}

TEST_CASE("a model that cannot be written leaves nothing behind", "[ggml]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("no-such-folder/model");

  CHECK_THROWS_AS(write_random_model_file(file, shape_named("tiny"), 1), std::system_error);
  CHECK_THROWS_AS(write_random_model_file("/dev/full.x/model", shape_named("tiny"), 1),
                  std::system_error);
}

TEST_CASE("the models have the tensors and bytes that ggml says", "[ggml][golden]") {
  struct Expected {
    const char* name;
    std::size_t tensors;
    double mebibytes;
    double head_mebibytes;
    double key_value_mebibytes;
  };
  const auto expected = GENERATE(values<Expected>({{"117M", 148, 239.08, 73.62, 72},
                                                   {"345M", 292, 679.38, 98.16, 192},
                                                   {"774M", 436, 1479.99, 122.70, 360},
                                                   {"1558M", 580, 2975.94, 153.37, 600}}));
  CAPTURE(expected.name);
  constexpr double kMebi = 1024.0 * 1024.0;
  const Hyperparameters& sizes = shape_named(expected.name);
  const auto margin = [](double value) { return Approx(value).margin(0.005); };

  CHECK(weight_specs(sizes).size() == expected.tensors);
  CHECK(static_cast<double>(weight_bytes(sizes)) / kMebi == margin(expected.mebibytes));
  CHECK(static_cast<double>(head_spec(sizes).bytes()) / kMebi == margin(expected.head_mebibytes));
  CHECK(2 * static_cast<double>(key_value_spec(sizes, "").bytes()) / kMebi ==
        margin(expected.key_value_mebibytes));
}
