#pragma once

#include "reference_loaders/ggml/input_stream.hpp"
#include "reference_loaders/ggml/model_file.hpp"

#include <string>

namespace tidemark::loaders::ggml {

/// Reads a whole model: one context for all its tensors, each then read straight into its place.
///
/// Before the context is allocated, the file must be long enough for all the tensors that its sizes
/// ask for; so nothing is larger than the file justifies. The KV memory, which no file holds, may
/// have 16 times the file's size.
/// @param source the file's name, for messages.
/// @throws BadInput with the offset of the first field that is wrong. Stricter than ggml-gobject,
///   which compares numbers of elements and not shapes, and lets a tensor appear twice or be
///   missing.
LoadedModelFile read_model(InputStream& stream, const std::string& source, KeyValuesAre where);

/// Fills the head of a model whose file has none, with a copy of the token embedding.
void tie_head(const TensorSet& tensors);

}  // namespace tidemark::loaders::ggml
