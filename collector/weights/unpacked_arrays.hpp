/// The arrays of a numpy archive that is compressed: their values are known once they are unpacked.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::weights {

struct UnpackedArrays {
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{512} << 20U;

  FileDescriptor file;  ///< In memory: the entries one behind the other, each with its header.
  std::uint64_t size = 0;
  std::vector<trace::Tensor> tensors;  ///< Where they are in `file`.
};

/// Unpacks the packed entries in the order of the directory, up to kMaxBytes, a second or two for
/// each 512 MiB. Whatever the bytes say, it ends; an entry that is damaged ends where it is.
/// None where nothing could be unpacked.
std::optional<UnpackedArrays> unpack_arrays(const FileDescriptor& archive, std::uint64_t size);

}  // namespace tidemark::weights
