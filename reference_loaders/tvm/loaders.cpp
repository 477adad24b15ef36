#include "reference_loaders/tvm/loaders.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/huge_pages.hpp"
#include "reference_loaders/tvm/params_reader.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include <tidemark/marks.h>

namespace tidemark::loaders::tvm {
namespace {

/// As TVM's `LoadBinaryFromFile`. The resize writes W bytes of zeros before the read writes them
/// again: that pass is part of the published chain.
void load_binary_from_file(const std::filesystem::path& file, std::string* data) {
  std::ifstream stream(file, std::ios::in | std::ios::binary);
  if (!stream) {
    throw BadInput(file.string(), std::strerror(errno));
  }
  stream.seekg(0, std::ios::end);
  const auto size = stream.tellg();
  stream.seekg(0, std::ios::beg);
  data->reserve(static_cast<std::size_t>(size));  // the block that resize would allocate
  advise_huge_pages(data->data(), data->capacity());
  data->resize(static_cast<std::size_t>(size));
  if (!stream.read(data->data(), size)) {
    throw BadInput(file.string(), static_cast<std::uint64_t>(stream.gcount()),
                   "cannot be read any further");
  }
}

}  // namespace

Params load_blob(const std::filesystem::path& file) {
  model_file_bytes(file);
  std::string blob;
  {
    const Phase phase("read file");
    load_binary_from_file(file, &blob);
  }
  const Phase phase("deserialize");
  MemoryStringStream stream(&blob);
  return read_params(stream, file.string());
}

Params load_stream(const std::filesystem::path& file) {
  const Phase phase("deserialize");
  SimpleBinaryFileStream stream(file, SimpleBinaryFileStream::Mode::kRead);
  return read_params(stream, file.string());
}

}  // namespace tidemark::loaders::tvm
