// Arbitrary bytes as a Relax executable. Whatever they are, the reader refuses them or loads no
// more than they hold, and what it loads can be written and read again.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/relax_reader.hpp"
#include "reference_loaders/tvm/relax_writer.hpp"

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

std::string read_and_written(std::string bytes) {
  tvm::MemoryStringStream in(&bytes);
  const tvm::RelaxExecutable executable = tvm::read_relax(in, "fuzz");
  std::string written;
  tvm::MemoryStringStream out(&written);
  tvm::write_relax(out, executable);
  return written;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    // Only the tensors' reserved fields may differ from the input.
    const std::string once =
        read_and_written(std::string(reinterpret_cast<const char*>(data), size));
    require(once.size() == size);
    require(read_and_written(once) == once);
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
  return 0;
}
