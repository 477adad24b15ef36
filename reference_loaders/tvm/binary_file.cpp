#include "reference_loaders/tvm/binary_file.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/huge_pages.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace tidemark::loaders::tvm {

void reserve_huge(std::string* data, std::size_t size) {
  if (size > data->capacity()) {
    data->reserve(size);
    advise_huge_pages(data->data(), data->capacity());
  }
}

void load_binary_from_file(const std::filesystem::path& file, std::string* data) {
  model_file_bytes(file);
  std::ifstream stream(file, std::ios::in | std::ios::binary);
  if (!stream) {
    throw BadInput(file.string(), std::strerror(errno));
  }
  stream.seekg(0, std::ios::end);
  const auto size = stream.tellg();
  stream.seekg(0, std::ios::beg);
  reserve_huge(data, static_cast<std::size_t>(size));
  data->resize(static_cast<std::size_t>(size));
  if (!stream.read(data->data(), size)) {
    throw BadInput(file.string(), static_cast<std::uint64_t>(stream.gcount()),
                   "cannot be read any further");
  }
}

}  // namespace tidemark::loaders::tvm
