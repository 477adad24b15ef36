/// Arrays that are kept as a folder of many files, none of which need look like weights: Zarr
/// (https://zarr-specs.readthedocs.io), and the OCDBT of TensorStore, in which Orbax saves what JAX
/// trains (https://google.github.io/tensorstore/kvstore/ocdbt).
#pragma once

#include "analyzer/load/file_use.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// A store is recognised by the file that describes it (`zarr.json`, `.zarray`, `manifest.ocdbt`),
/// if the program has read it: everything below the highest folder that has one belongs to the
/// store.
class ArrayStores {
 public:
  explicit ArrayStores(std::span<const FileUse> files);
  /// Bytes that the program read or mapped of the store that this file belongs to; 0 if it belongs
  /// to none, or if the store cannot be weights: text, written, or less than half read.
  [[nodiscard]] std::uint64_t bytes_with(std::size_t file) const { return bytes_with_[file]; }

 private:
  std::vector<std::uint64_t> bytes_with_;  ///< By file.
};

}  // namespace tidemark::analyzer
