#include "reference_loaders/strategies/read_index.hpp"

#include "reference_loaders/strategies/gguf.hpp"
#include "reference_loaders/strategies/safetensors.hpp"
#include "reference_loaders/strategies/weights_file.hpp"

#include <algorithm>

#include <tidemark/marks.h>

namespace tidemark::loaders::strategies {

WeightsIndex read_index(ByteSource& source, const std::string& file) {
  std::string magic(std::min<std::uint64_t>(kGgufMagic.size(), source.size()), '\0');
  source.read_at(0, std::as_writable_bytes(std::span(magic)));
  // No safetensors file begins so: its header would have more than 100 MB.
  WeightsIndex index =
      magic == kGgufMagic ? read_gguf(source, file) : read_safetensors(source, file);
  index.tensors.shrink_to_fit();  // it stays as long as the model
  return index;
}

WeightsIndex read_header(WeightsFile& file) {
  const Phase phase("read header");
  return read_index(file, file.name());
}

}  // namespace tidemark::loaders::strategies
