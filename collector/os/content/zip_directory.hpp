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
  std::uint64_t bytes = 0;     ///< Unpacked; 0 where the directory does not say it.
  std::uint64_t local_at = 0;  ///< Where the entry's own header is, in the file.
};

enum class ZipEnd {
  kNone,   ///< No directory that can be read.
  kCut,    ///< Longer than `max_bytes`.
  kWhole,  ///< All entries were seen, but for those behind one that is none.
};

/// Calls `see` for each entry, in the directory's order; its name lives for the call.
/// Whatever the bytes say, it ends and reads nothing out of bounds.
ZipEnd visit_zip(const FileDescriptor& file,
                 std::uint64_t size,
                 std::size_t max_bytes,
                 const std::function<void(const ZipEntry&)>& see);

/// Where the bytes of an entry begin, which its own header tells. 0: there is no such header.
std::uint64_t zip_data_at(const FileDescriptor& file, std::uint64_t local_at);

}  // namespace tidemark
