#pragma once

#include "reference_loaders/nntrainer/network.hpp"
#include "reference_loaders/nntrainer/resnet.hpp"
#include "reference_loaders/nntrainer/weights_file.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <span>

namespace tidemark::loaders::nntrainer {

/// Where the weights of a description at `file` are, when it does not name them: beside it, with
/// the ending ".bin".
std::filesystem::path weights_path(const std::filesystem::path& file);

/// Fills the weights of a layer that it is given, all of them one behind the other.
using LayerSource = std::function<void(LayerIndex, std::span<float>)>;

/// Writes the weights of all layers in their order, and `state` behind them.
void write_weights(std::ostream& stream,
                   const Network& network,
                   const LayerSource& source,
                   const std::optional<TrainingState>& state = {});

/// A description and its weights, made up: moving variances and gains around one, all else around
/// zero. Each file gets its name when it is complete, the description last.
/// @throws UsageError when both would have the same name, std::system_error
void write_random_model(const std::filesystem::path& file,
                        const ResnetSpec& spec,
                        std::uint64_t seed);

/// On disk, both files.
std::uint64_t random_model_bytes(const ResnetSpec& spec);

}  // namespace tidemark::loaders::nntrainer
