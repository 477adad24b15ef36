/// A folder of its own for one test case.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tidemark::tests {

/// Made below the system's folder for temporary files; gone at the end with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tidemark_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary folder at " + name);
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!is_kept_) {
      std::filesystem::remove_all(path_, ignored);
    }
  }

  /// For a person to look at: it is not removed.
  void keep() { is_kept_ = true; }

  [[nodiscard]] std::string path() const { return path_; }
  /// Where a file of this name is, or would be.
  [[nodiscard]] std::string file(std::string_view name) const { return path_ / name; }

  // Each makes a file and returns its path, which not every test needs.
  // NOLINTBEGIN(modernize-use-nodiscard)
  std::string file(std::string_view name, std::string_view text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
  std::string executable(std::string_view name, std::string_view text) const {
    file(name, text);
    std::filesystem::permissions(file(name), std::filesystem::perms(0755));
    return file(name);
  }
  std::string copy_of(const std::string& original, std::string_view name) const {
    std::filesystem::copy_file(original, file(name));
    return file(name);
  }
  // NOLINTEND(modernize-use-nodiscard)

 private:
  std::filesystem::path path_;
  bool is_kept_ = false;
};

}  // namespace tidemark::tests
