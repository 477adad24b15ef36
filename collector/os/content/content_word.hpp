/// A file's content: the word for it in a trace, and whether it is compressed.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark {

struct FileContent {
  /// One of the words of FORMAT.md ("gguf", "safetensors", "database", ...); empty: unknown
  /// content.
  std::string_view word{};
  bool is_compressed = false;
  std::uint64_t unpacked_bytes = 0;  ///< If the file says it; else 0.
};

}  // namespace tidemark
