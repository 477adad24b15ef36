// Arbitrary bytes as a safetensors file. Whatever they are, the reader refuses them, or finds
// tensors that fill what is left of them without a hole; and what it found can be written and read
// again.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/strategies/safetensors.hpp"
#include "reference_loaders/strategies/weights_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
  return read_safetensors(source, "fuzz");
}

void require_alike(const TensorEntry& one, const TensorEntry& other) {
  require(one.name == other.name && one.type == other.type && one.shape == other.shape);
  require(one.offset == other.offset && one.bytes == other.bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    WeightsIndex index = read(std::as_bytes(std::span(data, size)));
    std::uint64_t end = index.data_begin;
    for (const TensorEntry& tensor : index.tensors) {
      require(tensor.offset == end);
      end += tensor.bytes;
    }
    require(end == size && index.data_end == size);
    std::string file = lay_out_safetensors(index);
    file.resize(index.data_end);
    const WeightsIndex again = read(std::as_bytes(std::span(file)));
    require(again.tensors.size() == index.tensors.size());
    require(again.metadata.size() == index.metadata.size());
    for (std::size_t at = 0; at < again.tensors.size(); ++at) {
      require_alike(again.tensors[at], index.tensors[at]);
    }
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
  return 0;
}
