// Arbitrary bytes as a GPT-2 file of ggml. Whatever they are, the reader refuses them or loads no
// more than they hold, and what it loads can be written and read again.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/ggml/model_reader.hpp"
#include "reference_loaders/ggml/model_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sstream>
#include <string>

namespace {

using namespace tidemark::loaders;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

ggml::LoadedModelFile read(std::span<const std::byte> bytes) {
  ggml::MemoryInput stream(bytes);
  return ggml::read_model(stream, "fuzz", ggml::KeyValuesAre::kInTheModel);
}

std::string written(const ggml::LoadedModelFile& model) {
  std::ostringstream stream;
  ggml::write_model(stream, model);
  return stream.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ggml::LoadedModelFile model = read(std::as_bytes(std::span(data, size)));
    // Only the order of tensors and the version of the quantisation may differ from the input.
    const std::string once = written(model);
    require(once.size() == size);
    require(written(read(std::as_bytes(std::span(once)))) == once);
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
  return 0;
}
