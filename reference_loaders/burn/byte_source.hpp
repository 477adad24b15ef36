#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace tidemark::loaders::burn {

/// A file that is read at any offset.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  [[nodiscard]] virtual std::uint64_t size() const = 0;

  /// For messages.
  [[nodiscard]] virtual const std::string& name() const = 0;

  /// Reads exactly `size` bytes. The caller has checked that they are within `size()`.
  /// @throws BadInput when the file was cut meanwhile, or the device fails
  virtual void read_at(std::uint64_t offset, void* data, std::size_t size) = 0;
};

/// Returns a newly opened source of the same file at every call.
using Opener = std::function<std::unique_ptr<ByteSource>()>;

/// @throws BadInput when it is missing or not a regular file
std::unique_ptr<ByteSource> open_file(const std::filesystem::path& file);

/// `bytes` as if they were a file of that name.
std::unique_ptr<ByteSource> open_memory(std::string bytes, std::string name);

}  // namespace tidemark::loaders::burn
