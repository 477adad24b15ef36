#include "reference_loaders/burn/byte_source.hpp"

#include "reference_loaders/bad_input.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tidemark::loaders::burn {
namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& file)
      : name_(file.string()),
        size_(model_file_bytes(file)),
        descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw BadInput(name_, std::strerror(errno));
    }
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { close(descriptor_); }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  void read_at(std::uint64_t offset, void* data, std::size_t size) override;

 private:
  std::string name_;
  std::uint64_t size_;
  int descriptor_;
};

void FileSource::read_at(std::uint64_t offset, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t count = pread(descriptor_, at, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      throw BadInput(name_, offset,
                     count == 0 ? "the file became shorter while it was read"
                                : std::string("cannot be read: ") + std::strerror(errno));
    }
    at += count;
    offset += static_cast<std::uint64_t>(count);
    size -= static_cast<std::size_t>(count);
  }
}

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] const std::string& name() const override { return name_; }
  void read_at(std::uint64_t offset, void* data, std::size_t size) override {
    bytes_.copy(static_cast<char*>(data), size, offset);
  }

 private:
  std::string bytes_;
  std::string name_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& file) {
  return std::make_unique<FileSource>(file);
}

std::unique_ptr<ByteSource> open_memory(std::string bytes, std::string name) {
  return std::make_unique<MemorySource>(std::move(bytes), std::move(name));
}

}  // namespace tidemark::loaders::burn
