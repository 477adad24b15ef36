// Arbitrary bytes as a GGUF file. Whatever they are, the reader refuses them, or finds tensors that
// lie in them, one behind the other; and what it found can be written and read again.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/strategies/gguf.hpp"
#include "reference_loaders/strategies/weights_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

namespace {

using namespace tidemark::loaders;
using namespace tidemark::loaders::strategies;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

WeightsIndex read(std::span<const std::byte> bytes) {
  MemorySource source(bytes);
  return read_gguf(source, "fuzz");
}

std::size_t header_bytes(const WeightsIndex& index) {
  std::size_t text = 0;
  for (const MetadataEntry& entry : index.metadata) {
    text += value_text(entry).size();
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    WeightsIndex index = read(bytes);
    std::uint64_t end = 0;
    for (const TensorEntry& tensor : index.tensors) {
      require(tensor.offset >= end && tensor.offset + tensor.bytes <= size);
      end = tensor.offset + tensor.bytes;
    }
    require(header_bytes(index) <= 40 * size);  // a double of 8 bytes is 20-odd digits
    const WeightsIndex found = index;
    const std::string header = lay_out_gguf(index);
    require(index.data_begin == found.data_begin && index.data_end == found.data_end);
    // All but the padding is as it was.
    std::string file(header);
    file.resize(index.data_end);
    const WeightsIndex again = read(std::as_bytes(std::span(file)));
    require(again.tensors.size() == found.tensors.size());
    require(again.metadata.size() == found.metadata.size());
    for (std::size_t at = 0; at < again.tensors.size(); ++at) {
      require(again.tensors[at].offset == found.tensors[at].offset);
      require(again.tensors[at].shape == found.tensors[at].shape);
    }
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
  return 0;
}
