/// A file as bytes in memory, read only.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <string>

namespace tidemark::trace {

class FileMap {
 public:
  FileMap() = default;
  static Result<FileMap> open(const std::string& path);
  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&& other) noexcept;
  FileMap(const FileMap&) = delete;
  FileMap& operator=(const FileMap&) = delete;
  ~FileMap();

  [[nodiscard]] ByteView bytes() const { return {data_, size_}; }
  /// Gives the pages of a range back to the system, so that reading a long trace does not make this
  /// process large. They are read again on the next access.
  void forget(std::uint64_t offset, std::uint64_t size) const;

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tidemark::trace
