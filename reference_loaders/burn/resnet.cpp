#include "reference_loaders/burn/resnet.hpp"

#include <fmt/format.h>

#include <array>

namespace tidemark::loaders::burn {
namespace {

constexpr std::int64_t kClasses = 1000;

struct Architecture {
  std::array<int, 4> blocks;
  bool bottleneck = false;  ///< 1x1, 3x3, 1x1 of four times the channels, instead of 3x3 twice.
};

class Builder {
 public:
  ModelSpec build(const Architecture& architecture);

 private:
  void module(const std::string& name, std::uint8_t version = 1) {
    spec_.modules.push_back({name, version});
  }
  void convolution(const std::string& name, std::int64_t in, std::int64_t out, std::int64_t kernel);
  void batch_norm(const std::string& name, std::int64_t channels);
  void block(
      const std::string& name, std::int64_t in, std::int64_t width, bool bottleneck, bool down);
  void head(std::int64_t in);

  ModelSpec spec_;
};

void Builder::convolution(const std::string& name,
                          std::int64_t in,
                          std::int64_t out,
                          std::int64_t kernel) {
  module(name);
  spec_.tensors.push_back({name + ".weight", Dtype::kFloat32, {out, in, kernel, kernel}});
}

void Builder::batch_norm(const std::string& name, std::int64_t channels) {
  module(name, 2);
  for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) {
    spec_.tensors.push_back({name + part, Dtype::kFloat32, {channels}});
  }
  spec_.tensors.push_back({name + ".num_batches_tracked", Dtype::kInt64});
}

void Builder::block(
    const std::string& name, std::int64_t in, std::int64_t width, bool bottleneck, bool down) {
  const std::int64_t out = bottleneck ? 4 * width : width;
  module(name);
  if (bottleneck) {
    convolution(name + ".conv1", in, width, 1);
    batch_norm(name + ".bn1", width);
    convolution(name + ".conv2", width, width, 3);
    batch_norm(name + ".bn2", width);
    convolution(name + ".conv3", width, out, 1);
    batch_norm(name + ".bn3", out);
    module(name + ".relu");
  } else {
    convolution(name + ".conv1", in, width, 3);
    batch_norm(name + ".bn1", width);
    module(name + ".relu");
    convolution(name + ".conv2", width, width, 3);
    batch_norm(name + ".bn2", width);
  }
  if (down) {
    module(name + ".downsample");
    convolution(name + ".downsample.0", in, out, 1);
    batch_norm(name + ".downsample.1", out);
  }
}

void Builder::head(std::int64_t in) {
  module("avgpool");
  module("fc");
  spec_.tensors.push_back({"fc.weight", Dtype::kFloat32, {kClasses, in}});
  spec_.tensors.push_back({"fc.bias", Dtype::kFloat32, {kClasses}});
}

ModelSpec Builder::build(const Architecture& architecture) {
  module("");
  convolution("conv1", 3, 64, 7);
  batch_norm("bn1", 64);
  module("relu");
  module("maxpool");
  std::int64_t in = 64;
  std::int64_t width = 64;
  for (std::size_t layer = 0; layer < architecture.blocks.size(); ++layer, width *= 2) {
    const std::int64_t out = architecture.bottleneck ? 4 * width : width;
    const std::string name = fmt::format("layer{}", layer + 1);
    module(name);
    for (int index = 0; index < architecture.blocks.at(layer); ++index) {
      // The first block of a layer changes the size; in the first layer only by its channels.
      block(fmt::format("{}.{}", name, index), in, width, architecture.bottleneck,
            index == 0 && (layer > 0 || in != out));
      in = out;
    }
  }
  head(in);
  return spec_;
}

}  // namespace

std::uint64_t ModelSpec::bytes() const {
  std::uint64_t sum = 0;
  for (const TensorSpec& tensor : tensors) {
    sum += tensor.bytes();
  }
  return sum;
}

ModelSpec resnet18() {
  return Builder().build({.blocks = {2, 2, 2, 2}});
}

ModelSpec resnet50() {
  return Builder().build({.blocks = {3, 4, 6, 3}, .bottleneck = true});
}

ModelSpec resnet152() {
  return Builder().build({.blocks = {3, 8, 36, 3}, .bottleneck = true});
}

bool is_linear_weight(const std::string& name, const std::vector<std::int64_t>& shape) {
  return shape.size() == 2 && name.ends_with(".weight");
}

}  // namespace tidemark::loaders::burn
