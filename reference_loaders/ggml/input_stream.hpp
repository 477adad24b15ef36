#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

/// The stream that a model is read from, in the shape of GLib's GInputStream: one virtual call for
/// every field.
namespace tidemark::loaders::ggml {

class InputStream {
 public:
  explicit InputStream(std::uint64_t size) : size_(size) {}
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;
  virtual ~InputStream() = default;

  /// Reads up to `size` bytes, never past the size that the stream had in the beginning.
  /// @return bytes read; fewer only at the end. @throws BadInput when the file cannot be read.
  std::size_t read(void* data, std::size_t size);

  [[nodiscard]] std::uint64_t position() const { return position_; }
  /// Bytes left: lets a reader refuse a length before it allocates for it.
  [[nodiscard]] std::uint64_t remaining() const { return size_ - position_; }

 private:
  virtual std::size_t do_read(void* data, std::size_t size) = 0;

  std::uint64_t size_;
  std::uint64_t position_ = 0;
};

class FileInput final : public InputStream {
 public:
  /// @throws BadInput when there is no such file, or not a regular one
  explicit FileInput(const std::filesystem::path& file);

 private:
  std::size_t do_read(void* data, std::size_t size) override;

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_;
};

/// Over bytes that are borrowed.
class MemoryInput final : public InputStream {
 public:
  explicit MemoryInput(std::span<const std::byte> bytes)
      : InputStream(bytes.size()), left_(bytes) {}

 private:
  std::size_t do_read(void* data, std::size_t size) override;

  std::span<const std::byte> left_;
};

}  // namespace tidemark::loaders::ggml
