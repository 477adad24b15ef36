// Arbitrary bytes as a .pt file. Whatever they are, the loaders refuse them or load no more than
// four times what they hold, all of them the same.
//
// When the first byte is not that of a zip file, the rest is run as the pickle of one with a
// storage "0" of 16 bytes: no mutation would get past the CRC-32 of a pickle in a zip file.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/pytorch_loaders.hpp"
#include "reference_loaders/burn/zip_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace tidemark::loaders;
using namespace tidemark::loaders::burn;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

std::string file_of(const std::string& input) {
  if (input.starts_with('P')) {
    return input;
  }
  std::string file;
  StringSink sink(&file);
  ZipWriter zip(sink);
  zip.add("archive/data.pkl", input);
  zip.add("archive/data/0", std::string("0123456789abcdef"));
  zip.finish();
  return file;
}

/// The loaded tensors, or nothing when the file is refused.
Module loaded(const std::string& file, Module (*load)(Checkpoint&)) {
  try {
    Checkpoint checkpoint([&] { return open_memory(file, "fuzz"); }, false);
    return load(checkpoint);
  } catch (const BadInput&) {
    return {};  // what most inputs deserve
  }
}

bool is_same(const ModuleTensor& one, const ModuleTensor& other) {
  return one.name == other.name && one.dtype == other.dtype && one.shape == other.shape &&
         std::ranges::equal(one.data.bytes(), other.data.bytes());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = file_of({reinterpret_cast<const char*>(data), size});
  Module lazy = loaded(file, load_lazy);
  std::size_t bytes = 0;
  for (const ModuleTensor& tensor : lazy) {
    bytes += tensor.data.bytes().size();
  }
  require(bytes <= 4 * file.size());
  std::ranges::sort(lazy, {}, &ModuleTensor::name);
  for (const auto load : {load_nested, load_typed, load_bytes}) {
    Module module = loaded(file, load);
    std::ranges::sort(module, {}, &ModuleTensor::name);
    // Names that lazy loading does not mind may not fit into one tree.
    require(module.empty() || std::ranges::equal(module, lazy, is_same));
  }
  return 0;
}
