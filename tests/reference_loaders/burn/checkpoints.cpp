#include "tests/reference_loaders/burn/checkpoints.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/pickle_writer.hpp"
#include "reference_loaders/burn/pytorch_loaders.hpp"
#include "reference_loaders/burn/zip_writer.hpp"
#include "tests/reference_loaders/little_memory.hpp"

#include <algorithm>
#include <stdexcept>

namespace tidemark::loaders::test {

using namespace burn;

std::string a_file_with(const std::string& pickle, const Storages& storages) {
  std::string file;
  StringSink sink(&file);
  ZipWriter zip(sink);
  zip.add("archive/data.pkl", pickle);
  for (const auto& [key, bytes] : storages) {
    zip.add("archive/data/" + key, bytes);
  }
  zip.add("archive/version", "3\n");
  zip.finish();
  return file;
}

std::string a_file_with(const StateDict& tensors, const Storages& storages) {
  return a_file_with(state_dict_pickle(tensors, {{""}}), storages);
}

ModelSpec a_small_model() {
  return {.tensors = {{"conv1.weight", Dtype::kFloat32, {4, 3, 3, 3}},
                      {"layer1.0.bn1.weight", Dtype::kFloat32, {4}},
                      {"layer1.0.bn1.num_batches_tracked", Dtype::kInt64},
                      {"layer1.1.weight", Dtype::kFloat32, {2, 2}},
                      {"fc.weight", Dtype::kFloat32, {5, 4}},
                      {"fc.bias", Dtype::kFloat32, {5}}},
          .modules = {{""}, {"conv1"}, {"fc"}}};
}

std::string a_tiny_file() {
  const ModelSpec spec{
      .tensors = {{"a", Dtype::kFloat32, {2}}, {"b.weight", Dtype::kFloat32, {2, 3}}}};
  return a_file_with(state_dict_of(spec),
                     {{"0", bytes_of<float>({1, -2})}, {"1", bytes_of<float>({1, 2, 3, 4, 5, 6})}});
}

Checkpoint opened(const std::string& bytes) {
  return {[bytes] { return open_memory(bytes, "model.pt"); }, false};
}

const std::vector<LoadCheckpoint>& all_loaders() {
  static const std::vector<LoadCheckpoint> all = {load_nested, load_typed, load_bytes, load_lazy};
  return all;
}

const ModuleTensor& tensor_of(const Module& module, const std::string& name) {
  const auto found = std::ranges::find(module, name, &ModuleTensor::name);
  if (found == module.end()) {
    throw std::out_of_range("no tensor " + name);
  }
  return *found;
}

bool is_refused_or_harmless(const std::string& bytes,
                            const std::function<Module(const std::string&)>& load) {
  try {
    std::size_t loaded = 0;
    for (const ModuleTensor& tensor : load(bytes)) {
      loaded += tensor.data.bytes().size();
    }
    return loaded <= 4 * bytes.size();
  } catch (const BadInput&) {
    return true;
  }
}

bool survives_flipped_bits(const std::string& bytes,
                           const std::function<Module(const std::string&)>& load) {
  return test::holds_in_little_memory([&] {
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      if (!is_refused_or_harmless(flipped, load)) {
        return false;
      }
    }
    return true;
  });
}

}  // namespace tidemark::loaders::test
