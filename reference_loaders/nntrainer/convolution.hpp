#pragma once

#include "reference_loaders/nntrainer/layer_data.hpp"
#include "reference_loaders/nntrainer/network.hpp"

#include <cstdint>

/// Convolution as a product of matrices: windows of the image become columns (im2col), in strips
/// of a few rows of the output, so that they take little memory beside the layer.
namespace tidemark::loaders::nntrainer {

void convolve(const Network& network, const Layer& layer, const LayerData& data);

/// Derivative of the input, where a layer produced it, and one step of gradient descent. Either the
/// gradient or the derivatives are held beside the layer, whichever is smaller: many weights belong
/// to small images. What is in `data.output` is spent.
void convolve_back(const Network& network, const Layer& layer, const LayerData& data);

/// What the two take beside the layer, in bytes.
std::uint64_t convolution_scratch_bytes(const Network& network, const Layer& layer, Pass pass);

}  // namespace tidemark::loaders::nntrainer
