#include "reference_loaders/tvm/stream.hpp"

#include "reference_loaders/bad_input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace tidemark::loaders::tvm {

std::size_t MemoryStringStream::read(void* data, std::size_t size) {
  const std::size_t count = std::min(size, buffer_->size() - position_);
  if (count > 0) {
    std::memcpy(data, buffer_->data() + position_, count);
  }
  position_ += count;
  return count;
}

void MemoryStringStream::write(const void* data, std::size_t size) {
  if (position_ + size > buffer_->size()) {
    buffer_->resize(position_ + size);
  }
  if (size > 0) {
    std::memcpy(buffer_->data() + position_, data, size);
  }
  position_ += size;
}

std::size_t MemoryFixedSizeStream::read(void* data, std::size_t size) {
  const std::size_t count = std::min(size, bytes_.size() - position_);
  if (count > 0) {
    std::memcpy(data, bytes_.data() + position_, count);
  }
  position_ += count;
  return count;
}

void MemoryFixedSizeStream::write(const void* /*data*/, std::size_t /*size*/) {
  throw std::logic_error("a stream over bytes that are not its own was written to");
}

SimpleBinaryFileStream::SimpleBinaryFileStream(const std::filesystem::path& file, Mode mode)
    : name_(file.string()) {
  if (mode == Mode::kRead) {
    size_ = model_file_bytes(file);
  }
  stream_.reset(std::fopen(file.c_str(), mode == Mode::kRead ? "rbe" : "wbe"));
  if (!stream_ && mode == Mode::kRead) {
    throw BadInput(name_, std::strerror(errno));
  }
  if (!stream_) {
    fail(errno);
  }
}

std::size_t SimpleBinaryFileStream::read(void* data, std::size_t size) {
  // Never past the size that was checked against: a file may grow while it is read.
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, remaining()));
  errno = 0;
  const std::size_t count = std::fread(data, 1, wanted, stream_.get());
  if (count < wanted && std::ferror(stream_.get()) != 0) {
    throw BadInput(name_, position_ + count,
                   std::string("cannot be read: ") + std::strerror(errno));
  }
  position_ += count;
  return count;
}

void SimpleBinaryFileStream::write(const void* data, std::size_t size) {
  if (std::fwrite(data, 1, size, stream_.get()) != size) {
    fail(errno);
  }
  position_ += size;
}

void SimpleBinaryFileStream::close() {
  if (std::fclose(stream_.release()) != 0) {
    fail(errno);
  }
}

void SimpleBinaryFileStream::fail(int error) const {
  throw std::system_error(error, std::generic_category(), name_ + ": cannot be written");
}

}  // namespace tidemark::loaders::tvm
