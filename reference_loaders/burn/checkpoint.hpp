#pragma once

#include "reference_loaders/burn/buffer.hpp"
#include "reference_loaders/burn/byte_source.hpp"
#include "reference_loaders/burn/state_dict.hpp"
#include "reference_loaders/burn/zip_reader.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace tidemark::loaders::burn {

/// A `.pt` file of a state_dict, opened: its directory and its pickle are read, no weight is.
class Checkpoint {
 public:
  /// Opens the file, and checks that every tensor lies within its storage and every storage within
  /// the file.
  /// @param reopen opens the file and reads its directory again for every tensor, as candle's
  ///   reader and burn's own do.
  /// @throws BadInput
  Checkpoint(Opener opener, bool reopen);

  [[nodiscard]] const StateDict& tensors() const { return tensors_; }
  [[nodiscard]] const std::string& name() const { return source_->name(); }

  /// How often the file was opened so far.
  [[nodiscard]] std::uint64_t times_opened() const { return times_opened_; }

  /// The elements of one of `tensors()`, dense and row-major, in zeroed memory that they were read
  /// into. Like candle and PyTorch, it does not check the CRC-32 of weights.
  /// @throws BadInput
  Buffer read(const StoredTensor& tensor);

 private:
  void open();
  void check(const StoredTensor& tensor) const;
  [[nodiscard]] const ZipEntry& storage_of(const StoredTensor& tensor) const;
  [[noreturn]] void refuse(const StoredTensor& tensor, const std::string& what) const;

  Opener opener_;
  bool reopen_;
  std::unique_ptr<ByteSource> source_;
  ZipIndex index_;
  std::string folder_;  ///< In the zip file, with its slash: "archive/".
  std::uint64_t pickle_offset_ = 0;
  StateDict tensors_;
  std::uint64_t times_opened_ = 0;
};

}  // namespace tidemark::loaders::burn
