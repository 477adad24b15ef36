#include "reference_loaders/nntrainer/weights_file.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/nntrainer/model_writer.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/nntrainer/tiny_network.hpp"
#include "tests/support/catch.hpp"

#include <numeric>
#include <sstream>

using namespace tidemark::loaders;
using namespace tidemark::loaders::nntrainer;
using nntrainer::tiny_network::network_from;
using nntrainer::tiny_network::tiny_description;

namespace {

/// 0, 1, 2 ... as float32, little-endian.
std::string counting_floats(std::uint64_t count) {
  std::vector<float> floats(count);
  std::iota(floats.begin(), floats.end(), 0.0F);
  return {reinterpret_cast<const char*>(floats.data()), count * sizeof(float)};
}

class WeightsFolder {
 public:
  std::filesystem::path file(const std::string& bytes) {
    const auto file = directory_.file("model.bin");
    tidemark::loaders::test::write_file(file, bytes);
    return file;
  }

 private:
  tidemark::loaders::test::TemporaryFolder directory_;
};

}  // namespace

TEST_CASE("weights lie layer by layer, each in its order of declaration", "[nntrainer][weights]") {
  const Network network = network_from(tiny_description());
  WeightsFolder folder;
  const WeightsFile file(network, folder.file(counting_floats(network.weight_elements())));
  std::vector<float> fc(65);

  file.read_layer(7, fc);

  CHECK(fc.front() == static_cast<float>(57 + 12 + 12));
  CHECK(fc.back() == static_cast<float>(network.weight_elements() - 1));
}

TEST_CASE("a training state behind the weights is read", "[nntrainer][weights]") {
  const Network network = network_from(tiny_description());
  const std::string weights = counting_floats(network.weight_elements());
  const std::string state = tidemark::loaders::test::from_hex("03000000 2a000000");
  WeightsFolder folder;

  CHECK_FALSE(WeightsFile(network, folder.file(weights)).training_state());
  for (const std::string& moments : {std::string(), "adam" + weights + weights}) {
    const WeightsFile file(network, folder.file(weights + moments + state));
    REQUIRE(file.training_state());
    CHECK(file.training_state()->epoch == 3);
    CHECK(file.training_state()->iteration == 42);
  }
}

TEST_CASE("weights of any other size are not the network's", "[nntrainer][weights][robustness]") {
  const Network network = network_from(tiny_description());
  const std::string whole = counting_floats(network.weight_elements());
  WeightsFolder folder;
  const auto size = GENERATE_COPY(std::size_t{0}, whole.size() - 1, whole.size() + 1,
                                  whole.size() + 7, 3 * whole.size());
  CAPTURE(size);
  std::string bytes = whole + whole + whole;
  bytes.resize(size);

  CHECK_THROWS_WITH(WeightsFile(network, folder.file(bytes)),
                    Catch::Contains(std::to_string(whole.size()) + " bytes of weights"));
}

TEST_CASE("a tag other than adam's is refused", "[nntrainer][weights][robustness]") {
  const Network network = network_from(tiny_description());
  const std::string weights = counting_floats(network.weight_elements());
  WeightsFolder folder;
  const auto file = folder.file(weights + "ADAM" + weights + weights + std::string(8, '\0'));

  CHECK_THROWS_WITH(WeightsFile(network, file), Catch::Contains("'ADAM' is not the optimizer"));
}

TEST_CASE("weights are written as they are read", "[nntrainer][weights]") {
  const Network network = network_from(tiny_description());
  const std::string bytes = counting_floats(network.weight_elements()) +
                            tidemark::loaders::test::from_hex("01000000 02000000");
  WeightsFolder folder;
  const WeightsFile file(network, folder.file(bytes));
  std::ostringstream written;

  write_weights(
      written, network, [&](LayerIndex layer, std::span<float> to) { file.read_layer(layer, to); },
      file.training_state());

  CHECK(written.str() == bytes);
}

TEST_CASE("a file that is cut while it is read ends the read", "[nntrainer][weights][robustness]") {
  const Network network = network_from(tiny_description());
  WeightsFolder folder;
  const auto path = folder.file(counting_floats(network.weight_elements()));
  const WeightsFile file(network, path);
  std::filesystem::resize_file(path, 100);
  std::vector<float> fc(65);

  CHECK_THROWS_WITH(file.read_layer(7, fc), Catch::Contains("became shorter"));
}
