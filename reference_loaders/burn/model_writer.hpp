#pragma once

#include "reference_loaders/burn/output_file.hpp"
#include "reference_loaders/burn/resnet.hpp"

#include <cstdint>
#include <filesystem>

namespace tidemark::loaders::burn {

/// How the weights of a model lie in its file.
enum class FileForm : std::uint8_t {
  kPytorch,      ///< `.pt`: a zip file with a pickle, as `torch.save` writes a state_dict.
  kMpkElements,  ///< NamedMpkGz record: a MessagePack number for every element.
  kMpkBytes,     ///< NamedMpkGz record: a MessagePack binary for every tensor.
};

/// Writes `spec` with seeded random weights. The same seed gives the same weights in every form; a
/// record has those of linear layers transposed, as burn keeps them. Memory: one linear weight.
void write_model(Sink& sink, FileForm form, const ModelSpec& spec, std::uint64_t seed);

/// The same into `file`, which appears under its name only when it is complete.
/// @throws std::system_error when it cannot be written; nothing is left behind then.
void write_model_file(const std::filesystem::path& file,
                      FileForm form,
                      const ModelSpec& spec,
                      std::uint64_t seed);

/// Size of the file that `write_model` writes. Costs as much as writing the names.
std::uint64_t model_file_size(FileForm form, const ModelSpec& spec);

}  // namespace tidemark::loaders::burn
