/// The first bytes of a trace: see "File header" in FORMAT.md.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <string>

namespace tidemark::trace {

struct FileHeader {
  std::uint16_t major = kMajorVersion;
  std::uint16_t minor = kMinorVersion;
  std::uint32_t time_unit_ns = kTimeUnitNs;
};

ByteBuffer file_header_bytes(const FileHeader& header);
/// @param name What to call the file in an error.
/// @return kNotATrace, kCorrupt, or kUnsupported for a newer major version.
Result<FileHeader> read_file_header(ByteView file, const std::string& name);

}  // namespace tidemark::trace
