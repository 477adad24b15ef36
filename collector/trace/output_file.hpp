/// A file that grows by whole pieces or not at all, and gets its real name last.
#pragma once

#include "collector/trace/bytes.hpp"
#include "collector/trace/result.hpp"

#include <cstdint>
#include <string>

namespace tidemark::trace {

/// After the first failed write the file is cut back to the last whole piece and never touched
/// again: a disk that was full a moment ago must not leave a hole in the middle of a trace.
class OutputFile {
 public:
  /// Will be called `path` in the end; until then `path`.incomplete, which is created or emptied.
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// @return false once anything has failed, or after `publish`.
  bool append(ByteView piece);
  /// Closes the file and gives it its real name.
  bool publish();

  [[nodiscard]] bool usable() const { return descriptor_ >= 0 && error_.empty(); }
  /// Bytes of the whole pieces.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The system's words for what failed first; empty while all is well.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const std::string& incomplete_path() const { return incomplete_path_; }

 private:
  bool fail();

  std::string path_;
  std::string incomplete_path_;
  std::string error_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace tidemark::trace
