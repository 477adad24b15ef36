#pragma once

#include "reference_loaders/burn/output_file.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tidemark::loaders::burn {

/// Writes a zip archive as PyTorch does: entries stored, each payload at a multiple of 64 bytes
/// behind an extra field "FB" of padding, sizes in data descriptors, and zip64 records at the end
/// whether they are needed or not.
class ZipWriter {
 public:
  /// @param sink stays borrowed until the writer is destroyed.
  /// @param in_64_from sizes and offsets from here on are written in 64 bits. The format needs it
  ///   from 2^32 - 1 on; a test would rather not write 4 GiB.
  explicit ZipWriter(Sink& sink, std::uint64_t in_64_from = 0xffffffff)
      : sink_(sink), in_64_from_(in_64_from) {}

  void add(const std::string& name, const std::string& payload);

  /// Adds an entry of `bytes` that `fill` writes to the sink that it is given.
  void add(const std::string& name, std::uint64_t bytes, const std::function<void(Sink&)>& fill);

  /// Writes the directory. Nothing can be added after it.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
  };

  void write(const std::string& record);
  [[nodiscard]] std::string local_header(const Entry& entry) const;
  [[nodiscard]] std::string data_descriptor(const Entry& entry) const;
  [[nodiscard]] std::string central_header(const Entry& entry) const;
  [[nodiscard]] std::string extra_64(const Entry& entry) const;
  [[nodiscard]] bool needs_64(std::uint64_t number) const { return number >= in_64_from_; }

  Sink& sink_;
  std::uint64_t in_64_from_;
  std::uint64_t written_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace tidemark::loaders::burn
