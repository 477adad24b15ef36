#pragma once

#include <filesystem>

namespace tidemark::loaders {

/// A file that is written under another name and renamed only when complete, so that no loader ever
/// opens half a model. Without `commit` nothing is left behind.
class CompleteFile {
 public:
  explicit CompleteFile(std::filesystem::path file);
  CompleteFile(const CompleteFile&) = delete;
  CompleteFile& operator=(const CompleteFile&) = delete;
  ~CompleteFile();

  /// Where to write.
  [[nodiscard]] const std::filesystem::path& incomplete() const { return incomplete_; }

  /// Replaces what was there under the name. @throws std::filesystem::filesystem_error
  void commit();

 private:
  std::filesystem::path file_;
  std::filesystem::path incomplete_;
};

}  // namespace tidemark::loaders
