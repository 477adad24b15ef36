#pragma once

#include "reference_loaders/nntrainer/ini.hpp"

#include <cstdint>

namespace tidemark::loaders::nntrainer {

/// What sets one ResNet-18 for CIFAR-100 apart from another.
struct ResnetSpec {
  std::uint64_t batch = 32;
  std::uint64_t filters =
      64;  ///< Channels of the first stage; each of the three after it has twice as many.
  std::uint64_t image_size = 32;  ///< A multiple of 8.
  bool trains = true;
};

/// The description of the network that nntrainer's benchmark trained, from the first layer to
/// softmax: 66 layers, and with 64 filters 11,230,948 parameters. Every convolution has a bias, a
/// shortcut that shrinks is a convolution without batch normalization.
Ini resnet_ini(const ResnetSpec& spec);

}  // namespace tidemark::loaders::nntrainer
