#pragma once

#include "reference_loaders/model_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tidemark::loaders::strategies {

/// A place that a header can be read from, at any offset.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Fills all of `to`, which lies within `size`. @throws BadInput when the file does not hold it.
  virtual void read_at(std::uint64_t offset, std::span<std::byte> to) = 0;
};

/// A whole file that is in memory already. Borrows it.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  void read_at(std::uint64_t offset, std::span<std::byte> to) override;

 private:
  std::span<const std::byte> bytes_;
};

/// An open weights file.
class WeightsFile final : public ByteSource {
 public:
  /// @throws BadInput when it is missing or not a regular file.
  explicit WeightsFile(const std::filesystem::path& file) : file_(file) {}

  [[nodiscard]] const std::string& name() const { return file_.name(); }
  [[nodiscard]] int descriptor() const { return file_.descriptor(); }
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }

  /// For the small fields of a header: through a buffer of 64 KiB, which lives as long as the file,
  /// or until it is released.
  void read_at(std::uint64_t offset, std::span<std::byte> to) override;
  void release_buffer() { buffer_ = std::vector<std::byte>(); }

  /// For weights: from the page cache straight to where they belong. Thread-safe.
  void read_exactly(std::uint64_t offset, std::span<std::byte> to) const { file_.read(offset, to); }

 private:
  ModelFile file_;
  std::vector<std::byte> buffer_;
  std::uint64_t buffered_from_ = 0;
};

/// The same file once more, for reads past the page cache (O_DIRECT).
class DirectFile {
 public:
  /// A file system that refuses O_DIRECT is not an error: the reads then go through the page cache,
  /// as llama.cpp's do, and `refusal` says why.
  explicit DirectFile(const WeightsFile& file);
  DirectFile(const DirectFile&) = delete;
  DirectFile& operator=(const DirectFile&) = delete;
  ~DirectFile();

  /// What offsets, lengths and addresses must be multiples of. The largest sector that disks have.
  static constexpr std::size_t kAlignment = 4096;

  /// Fills `to`, up to the end of the file. @throws BadInput
  void read_up_to(std::uint64_t offset, std::span<std::byte> to);

  /// Empty when reads are direct.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  void go_through_page_cache(int error);

  const WeightsFile& file_;
  int descriptor_ = -1;
  std::string refusal_;
};

}  // namespace tidemark::loaders::strategies
