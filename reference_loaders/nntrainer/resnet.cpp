#include "reference_loaders/nntrainer/resnet.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace tidemark::loaders::nntrainer {
namespace {

constexpr const char* kInput = "inputlayer";
constexpr int kClasses = 100;

/// Sections one after the other; each knows the one before it.
class Description {
 public:
  using Values = std::vector<std::pair<std::string, std::string>>;

  void add(const std::string& name, const Values& values) {
    IniSection section{.name = name};
    for (const auto& [key, text] : values) {
      section.values.push_back({.key = key, .text = text});
    }
    ini_.sections.push_back(std::move(section));
  }

  /// A layer over `inputs`. @return its name
  std::string add_layer(const std::string& name,
                        const std::string& type,
                        const std::string& inputs,
                        const Values& values = {}) {
    Values all = {{"type", type}, {"input_layers", inputs}};
    all.insert(all.end(), values.begin(), values.end());
    add(name, all);
    return name;
  }

  std::string add_convolution(const std::string& name,
                              const std::string& input,
                              std::uint64_t filters,
                              std::uint64_t kernel,
                              std::uint64_t stride) {
    return add_layer(name, "conv2d", input,
                     {{"filters", std::to_string(filters)},
                      {"kernel_size", fmt::format("{0},{0}", kernel)},
                      {"stride", fmt::format("{0},{0}", stride)},
                      {"padding", fmt::format("{0},{0}", kernel / 2)}});
  }

  std::string add_normalized_relu(const std::string& name, const std::string& input) {
    const std::string normalized = add_layer(name + "_bn", "batch_normalization", input);
    return add_layer(name + "_relu", "activation", normalized, {{"activation", "relu"}});
  }

  Ini take() { return std::move(ini_); }

 private:
  Ini ini_;
};

std::string add_block(Description& net,
                      const std::string& name,
                      const std::string& input,
                      std::uint64_t filters,
                      std::uint64_t stride) {
  const std::string first = net.add_convolution(name + "_conv1", input, filters, 3, stride);
  const std::string middle = net.add_normalized_relu(name + "_1", first);
  const std::string second = net.add_convolution(name + "_conv2", middle, filters, 3, 1);
  const std::string shortcut =
      stride == 1 ? input : net.add_convolution(name + "_shortcut", input, filters, 1, stride);
  const std::string sum = net.add_layer(name + "_add", "addition", second + "," + shortcut);
  return net.add_normalized_relu(name + "_2", sum);
}

void add_model(Description& net, const ResnetSpec& spec) {
  net.add("model", {{"type", "NeuralNetwork"},
                    {"epochs", "1"},
                    {"loss", "cross"},
                    {"batch_size", std::to_string(spec.batch)}});
  if (spec.trains) {
    net.add("optimizer", {{"type", "sgd"}, {"learning_rate", "0.01"}});
  }
  net.add(kInput, {{"type", "input"}, {"input_shape", fmt::format("3:{0}:{0}", spec.image_size)}});
}

}  // namespace

Ini resnet_ini(const ResnetSpec& spec) {
  constexpr int kStages = 4;
  constexpr int kBlocksInStage = 2;
  Description net;
  add_model(net, spec);
  std::string last =
      net.add_normalized_relu("stem", net.add_convolution("stem_conv", kInput, spec.filters, 3, 1));
  for (int stage = 0; stage < kStages; ++stage) {
    for (int block = 0; block < kBlocksInStage; ++block) {
      const std::uint64_t stride = stage > 0 && block == 0 ? 2 : 1;
      last = add_block(net, fmt::format("stage{}_{}", stage + 1, block + 1), last,
                       spec.filters << stage, stride);
    }
  }
  const std::uint64_t pool = spec.image_size >> (kStages - 1);
  last = net.add_layer("pool", "pooling2d", last,
                       {{"pooling", "average"},
                        {"pool_size", fmt::format("{0},{0}", pool)},
                        {"stride", fmt::format("{0},{0}", pool)},
                        {"padding", "0,0"}});
  last = net.add_layer("flatten", "flatten", last);
  last = net.add_layer("fc", "fully_connected", last, {{"unit", std::to_string(kClasses)}});
  net.add_layer("softmax", "activation", last, {{"activation", "softmax"}});
  return net.take();
}

}  // namespace tidemark::loaders::nntrainer
