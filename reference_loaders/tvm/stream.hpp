#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

/// The streams that TVM reads and writes through, in the shape of dmlc-core's: every field, however
/// small, is one virtual call. Which of the two streams a loader picks is the whole story of the
/// published case.
namespace tidemark::loaders::tvm {

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// Reads up to `size` bytes. @return bytes read; fewer only at the end or after an error.
  virtual std::size_t read(void* data, std::size_t size) = 0;

  /// Writes all of `size` bytes. @throws std::system_error
  virtual void write(const void* data, std::size_t size) = 0;

  /// Bytes read or written so far. Not in dmlc: it is what lets a reader name the offset of a bad
  /// field.
  [[nodiscard]] virtual std::uint64_t position() const = 0;

  /// Bytes left to read. Not in dmlc either: it is what lets a reader refuse a length before it
  /// allocates for it.
  [[nodiscard]] virtual std::uint64_t remaining() const = 0;
};

/// dmlc's MemoryStringStream: a stream over a whole file in a string, which it borrows.
class MemoryStringStream final : public Stream {
 public:
  explicit MemoryStringStream(std::string* buffer) : buffer_(buffer) {}

  std::size_t read(void* data, std::size_t size) override;
  void write(const void* data, std::size_t size) override;
  [[nodiscard]] std::uint64_t position() const override { return position_; }
  [[nodiscard]] std::uint64_t remaining() const override { return buffer_->size() - position_; }

 private:
  std::string* buffer_;
  std::size_t position_ = 0;
};

/// dmlc's MemoryFixedSizeStream, for reading alone: a stream over bytes, which it borrows.
class MemoryFixedSizeStream final : public Stream {
 public:
  explicit MemoryFixedSizeStream(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t read(void* data, std::size_t size) override;
  /// @throws std::logic_error, always
  void write(const void* data, std::size_t size) override;
  [[nodiscard]] std::uint64_t position() const override { return position_; }
  [[nodiscard]] std::uint64_t remaining() const override { return bytes_.size() - position_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

/// TVM's SimpleBinaryFileStream, which the fix brought in: a stream over a stdio file. Large reads
/// go past stdio's 4 KiB buffer, straight into the caller's memory.
class SimpleBinaryFileStream final : public Stream {
 public:
  enum class Mode { kRead, kWrite };

  /// @throws BadInput when a file to read is missing or not a regular file
  /// @throws std::system_error when a file to write cannot be created
  SimpleBinaryFileStream(const std::filesystem::path& file, Mode mode);

  std::size_t read(void* data, std::size_t size) override;
  void write(const void* data, std::size_t size) override;
  [[nodiscard]] std::uint64_t position() const override { return position_; }
  [[nodiscard]] std::uint64_t remaining() const override { return size_ - position_; }

  /// Ends writing. Without it the last bytes may be lost on a full disk without a word.
  /// @throws std::system_error
  void close();

 private:
  [[noreturn]] void fail(int error) const;

  std::string name_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_{nullptr, std::fclose};
};

}  // namespace tidemark::loaders::tvm
