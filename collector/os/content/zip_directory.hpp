/// The entries of a ZIP file, by its central directory.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tidemark {

struct ZipEntry {
  std::string_view name;
  bool is_packed = false;
  std::uint64_t bytes = 0;     ///< Unpacked; 0 if the directory does not say.
  std::uint64_t local_at = 0;  ///< File offset of the entry's local header.
};

enum class ZipEnd {
  kNone,   ///< No readable directory.
  kCut,    ///< Longer than `max_bytes`.
  kWhole,  ///< All entries were visited, up to the first malformed one.
};

/// Calls `see` for each entry, in the directory's order; its name lives for the call. For any
/// bytes, it terminates and stays within bounds.
ZipEnd visit_zip(const FileDescriptor& file,
                 std::uint64_t size,
                 std::size_t max_bytes,
                 const std::function<void(const ZipEntry&)>& see);

/// File offset of an entry's data, found through its local header. 0: there is no such header.
std::uint64_t zip_data_at(const FileDescriptor& file, std::uint64_t local_at);

}  // namespace tidemark
