#include "reference_loaders/ggml/input_stream.hpp"

#include "reference_loaders/bad_input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tidemark::loaders::ggml {

std::size_t InputStream::read(void* data, std::size_t size) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, remaining()));
  const std::size_t count = wanted == 0 ? 0 : do_read(data, wanted);
  position_ += count;
  return count;
}

FileInput::FileInput(const std::filesystem::path& file)
    : InputStream(model_file_bytes(file)),
      name_(file.string()),
      stream_(std::fopen(file.c_str(), "rbe"), std::fclose) {
  if (!stream_) {
    throw BadInput(name_, std::strerror(errno));
  }
}

std::size_t FileInput::do_read(void* data, std::size_t size) {
  errno = 0;
  const std::size_t count = std::fread(data, 1, size, stream_.get());
  if (count < size && std::ferror(stream_.get()) != 0) {
    throw BadInput(name_, position() + count,
                   std::string("cannot be read: ") + std::strerror(errno));
  }
  return count;
}

std::size_t MemoryInput::do_read(void* data, std::size_t size) {
  std::memcpy(data, left_.data(), size);
  left_ = left_.subspan(size);
  return size;
}

}  // namespace tidemark::loaders::ggml
