// Arbitrary bytes as a .ptd file. Whatever they are, the reader refuses them, or finds tensors that
// lie in the file, under keys that are all different.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/executorch/ptd.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <span>

namespace {

using namespace tidemark::loaders;
using namespace tidemark::loaders::executorch;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  try {
    const auto begin = file.first(std::min<std::size_t>(size, kPtdHeaderEnd));
    const PtdHeader header = parse_ptd_header(begin, size, "fuzz");
    std::set<std::string> keys;
    for (const PtdTensor& tensor : parse_ptd(file.first(header.flatbuffer_end), header, "fuzz")) {
      require(tensor.offset >= header.segment_base && tensor.offset <= size);
      require(tensor.bytes <= size - tensor.offset);
      require(keys.insert(tensor.key).second);
    }
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
  return 0;
}
