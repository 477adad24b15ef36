// Arbitrary bytes as a TVM params file. Whatever they are, the reader refuses them or loads no more
// than they hold, and what it loads can be written and read again.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/params_reader.hpp"
#include "reference_loaders/tvm/params_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace tidemark::loaders;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

std::string written(const tvm::Params& params) {
  std::string bytes;
  tvm::MemoryStringStream stream(&bytes);
  tvm::write_params(stream, params);
  return bytes;
}

tvm::Params read(std::string bytes) {
  tvm::MemoryStringStream stream(&bytes);
  return tvm::read_params(stream, "fuzz");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tvm::Params params = read(std::string(reinterpret_cast<const char*>(data), size));
    // Only the order of tensors and the reserved fields may differ from the input.
    const std::string once = written(params);
    require(once.size() == size);
    require(written(read(once)) == once);
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
  return 0;
}
