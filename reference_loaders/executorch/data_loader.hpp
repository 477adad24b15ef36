#pragma once

#include "reference_loaders/executorch/footprint.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace tidemark::loaders::executorch {

/// Bytes that a data loader gave, and takes back when this is freed or destroyed.
class FreeableBuffer {
 public:
  using Free = std::function<void()>;

  FreeableBuffer() = default;
  FreeableBuffer(std::span<const std::byte> bytes, Free free)
      : bytes_(bytes), free_(std::move(free)) {}
  FreeableBuffer(FreeableBuffer&& other) noexcept { swap(other); }
  FreeableBuffer& operator=(FreeableBuffer&& other) noexcept {
    FreeableBuffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  FreeableBuffer(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(const FreeableBuffer&) = delete;
  ~FreeableBuffer() { free(); }

  [[nodiscard]] bool is_freed() const { return free_ == nullptr; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  void free();

 private:
  void swap(FreeableBuffer& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(free_, other.free_);
  }

  std::span<const std::byte> bytes_;
  Free free_;
};

/// A model file that parts are loaded from.
class DataLoader {
 public:
  DataLoader() = default;
  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;
  virtual ~DataLoader() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// So many bytes at `offset`, both within `size`. The buffer must not outlive the loader.
  /// @throws BadInput, std::bad_alloc
  virtual FreeableBuffer load(std::uint64_t offset, std::uint64_t bytes) = 0;
};

/// Every load into memory of its own (FileDataLoader), which counts into `footprint`.
std::unique_ptr<DataLoader> open_file(const std::filesystem::path& file, Footprint* footprint);

/// Every load as a mapping of its own (MmapDataLoader). Counts nothing: it is the file's memory.
std::unique_ptr<DataLoader> map_file(const std::filesystem::path& file);

}  // namespace tidemark::loaders::executorch
