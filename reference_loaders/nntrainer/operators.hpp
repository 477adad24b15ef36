#pragma once

#include "reference_loaders/nntrainer/layer_data.hpp"
#include "reference_loaders/nntrainer/network.hpp"

/// The layers beside convolution. Each comes as a pair, forward and backward; `LayerData` says what
/// they read and write. None takes memory beside the layer, except `fully_connect_back`, which
/// takes a gradient as large as the weights.
namespace tidemark::loaders::nntrainer {

/// While training: over the batch, and the moving averages follow. Else with the moving averages.
void normalize(const Network& network, const Layer& layer, const LayerData& data);
void normalize_back(const Network& network, const Layer& layer, const LayerData& data);

void relu(const LayerData& data);
void relu_back(const LayerData& data);

void add(const LayerData& data);
void add_back(const LayerData& data);

void average(const Network& network, const Layer& layer, const LayerData& data);
void average_back(const Network& network, const Layer& layer, const LayerData& data);

void flatten(const LayerData& data);
void flatten_back(const LayerData& data);

void fully_connect(const Network& network, const Layer& layer, const LayerData& data);
void fully_connect_back(const Network& network, const Layer& layer, const LayerData& data);

void softmax(const Network& network, const Layer& layer, const LayerData& data);
/// The gradient of cross entropy against the made-up label of each image; `output` is not read.
void softmax_back(const Network& network, const Layer& layer, const LayerData& data);

}  // namespace tidemark::loaders::nntrainer
