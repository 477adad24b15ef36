/// What is said of a file's content: the word that stands for it in a trace, and whether it is
/// packed.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark {

struct FileContent {
  /// One of the words of FORMAT.md ("gguf", "safetensors", "database", ...); empty: nothing that is
  /// known here.
  std::string_view word{};
  bool is_compressed = false;
  std::uint64_t unpacked_bytes = 0;  ///< Where the file says it; else 0.
};

}  // namespace tidemark
