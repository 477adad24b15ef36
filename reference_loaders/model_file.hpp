#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace tidemark::loaders {

/// An open model file. Its size is taken once, from the open descriptor, and everything is checked
/// against that: a file that grows is read as it was, one that shrinks ends a read with an error.
class ModelFile {
 public:
  /// @throws BadInput when it is missing or not a regular file.
  explicit ModelFile(const std::filesystem::path& file);
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;
  ~ModelFile();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Fills all of `to` from the page cache, straight to where it belongs. Thread-safe.
  /// @throws BadInput when the file does not hold it.
  void read(std::uint64_t offset, std::span<std::byte> to) const;

 private:
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// pread(2), again where a signal came between. @return bytes, or -1 with errno
std::int64_t read_some(int descriptor, std::uint64_t offset, std::span<std::byte> to);

}  // namespace tidemark::loaders
