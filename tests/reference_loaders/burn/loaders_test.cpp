#include "reference_loaders/burn/model_writer.hpp"
#include "reference_loaders/burn/peaks.hpp"
#include "reference_loaders/burn/pytorch_loaders.hpp"
#include "reference_loaders/burn/resnet.hpp"
#include "reference_loaders/burn/system.hpp"
#include "reference_loaders/measured_load.hpp"
#include "tests/reference_loaders/burn/checkpoints.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <map>
#include <set>

using namespace tidemark::loaders;
using namespace tidemark::loaders::burn;

namespace {

ModelFacts facts_of(const ModelSpec& spec) {
  ModelFacts facts;
  for (const TensorSpec& tensor : spec.tensors) {
    facts.tensors.push_back({.bytes = tensor.bytes(), .elements = tensor.elements()});
  }
  return facts;
}

std::uint64_t elements_in(const ModelSpec& spec) {
  std::uint64_t sum = 0;
  for (const TensorSpec& tensor : spec.tensors) {
    sum += tensor.elements();
  }
  return sum;
}

}  // namespace

TEST_CASE("the ResNets are those of torchvision", "[burn]") {
  CHECK(resnet152().tensors.size() == 932);
  CHECK(elements_in(resnet152()) == 60'344'387);
  CHECK(resnet50().tensors.size() == 320);
  CHECK(elements_in(resnet50()) == 25'610'205);
  CHECK(resnet18().tensors.size() == 122);
  CHECK(elements_in(resnet18()) == 11'699'132);

  const auto& last = resnet152().tensors;
  CHECK(last[0].name == "conv1.weight");
  CHECK(last[5].name == "bn1.num_batches_tracked");
  CHECK(std::ranges::count(last, "layer3.35.bn3.running_var", &TensorSpec::name) == 1);
  CHECK(last[930].shape == std::vector<std::int64_t>{1000, 2048});
}

TEST_CASE("the vectors of ResNet-152 are as large as was published", "[burn][peaks]") {
  const ModelFacts facts = facts_of(resnet152());

  CHECK(node_bytes(facts) == Approx(4.672e9).epsilon(0.0002));
  CHECK(typed_bytes(facts) == Approx(0.334e9).epsilon(0.002));
  CHECK(56 * elements_in(resnet152()) == Approx(3.379e9).epsilon(0.0002));
}

TEST_CASE("peaks are made of the capacities and copies that the chains have", "[burn][peaks]") {
  const ModelFacts facts{.tensors = {{.bytes = 20, .elements = 5}, {.bytes = 12, .elements = 3}}};

  // 8 and 4 nodes, and the first vector that grows out of them.
  CHECK(nested_peak(facts) == 12 * 56 + 8 * 4);
  // Both tensors, the converted copy of the first, and the vector that it is pushed to.
  CHECK(typed_peak(facts) == 32 + 20 + 8 * 4);
  CHECK(bytes_peak(facts) == 32 + 2 * 20);
  CHECK(lazy_peak(facts) == 20 + 2 * 12);
  CHECK(mpk_elements_peak(facts) == 32 + 20);
  CHECK(mpk_bytes_peak(facts) == 32 + 32);
}

TEST_CASE("every variant loads the same, and linear weights transposed", "[burn]") {
  for (const test::LoadCheckpoint load : test::all_loaders()) {
    Checkpoint checkpoint = test::opened(test::a_tiny_file());
    const Module module = load(checkpoint);

    REQUIRE(module.size() == 2);
    CHECK(test::values_of<float>(module, "a") == std::vector<float>{1, -2});
    CHECK(test::values_of<float>(module, "b.weight") == std::vector<float>{1, 4, 2, 5, 3, 6});
    CHECK(test::tensor_of(module, "b.weight").shape == std::vector<std::int64_t>{3, 2});
  }
}

TEST_CASE("every element type goes through every chain unchanged", "[burn]") {
  for (std::size_t type = 0; type < kDtypes.size(); ++type) {
    const auto dtype = static_cast<Dtype>(type);
    std::string storage;
    for (std::size_t byte = 0; byte < 3 * traits(dtype).bytes; ++byte) {
      storage += static_cast<char>(37 * byte + 1);
    }
    const StoredTensor tensor{.name = "t",
                              .dtype = dtype,
                              .storage = "0",
                              .storage_elements = 3,
                              .shape = {3},
                              .stride = {1}};
    for (const test::LoadCheckpoint load : test::all_loaders()) {
      Checkpoint checkpoint = test::opened(test::a_file_with({tensor}, {{"0", storage}}));
      const Module module = load(checkpoint);
      CAPTURE(traits(dtype).name);
      CHECK(module[0].dtype == dtype);
      CHECK(test::values_of<char>(module, "t") ==
            std::vector<char>(storage.begin(), storage.end()));
    }
  }
}

TEST_CASE("tensors without elements are loaded", "[burn]") {
  const StoredTensor empty{.name = "e", .storage = "0", .shape = {0, 3}, .stride = {3, 1}};
  for (const test::LoadCheckpoint load : test::all_loaders()) {
    Checkpoint checkpoint = test::opened(test::a_file_with({empty}, {{"0", ""}}));
    const Module module = load(checkpoint);
    REQUIRE(module.size() == 1);
    CHECK(module[0].data.bytes().empty());
  }
}

TEST_CASE("all files of a model have the announced size and one checksum", "[burn][slow]") {
  const test::TemporaryFolder directory;
  const System burn = make_system();
  std::set<std::uint64_t> checksums;
  std::size_t runs = 0;
  for (const Model& model : burn.models) {
    if (!model.name.starts_with("resnet18")) {
      continue;
    }
    const auto file = directory.file(model.name);
    model.make({.file = file, .weight_bytes = model.default_weight_bytes, .seed = 3});
    CHECK(std::filesystem::file_size(file) == model.file_bytes(model.default_weight_bytes));
    for (const Variant& variant : burn.variants) {
      if (variant.loads(model.name)) {
        const MeasuredLoad load = measure_load(variant, {.file = file});
        CAPTURE(model.name, variant.name);
        CHECK(load.weight_bytes == model.default_weight_bytes);
        CHECK(load.tensors == 122);
        checksums.insert(load.checksum);
        ++runs;
      }
    }
  }
  CHECK(runs == burn.variants.size());
  CHECK(checksums.size() == 1);
}

TEST_CASE("a made model only depends on its seed", "[burn]") {
  const auto made = [](std::uint64_t seed) {
    std::string file;
    StringSink sink(&file);
    write_model(sink, FileForm::kPytorch, test::a_small_model(), seed);
    return file;
  };

  CHECK(made(1) == made(1));
  CHECK(made(1) != made(2));
  CHECK(made(1).size() == model_file_size(FileForm::kPytorch, test::a_small_model()));
}

TEST_CASE("every row of the suite names a model that its variant loads", "[burn]") {
  const System burn = make_system();
  for (const SuiteSize size : {SuiteSize::kQuick, SuiteSize::kFull}) {
    for (const SuiteRow& row : burn.suite(size)) {
      CAPTURE(row.model, row.variant);
      const auto variant = std::ranges::find(burn.variants, row.variant, &Variant::name);
      const auto model = std::ranges::find(burn.models, row.model, &Model::name);
      REQUIRE(variant != burn.variants.end());
      REQUIRE(model != burn.models.end());
      CHECK(variant->loads(row.model));
      CHECK(row.weight_bytes == model->default_weight_bytes);
    }
  }
}
