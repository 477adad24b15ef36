/// A folder of its own for one test case.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tidemark_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no scratch folder at " + name);
    }
    folder_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ScratchFolder(ScratchFolder&&) = delete;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::string path(std::string_view name) const { return folder_ / name; }

  // Each makes a file and returns its path, which not every test needs.
  // NOLINTBEGIN(modernize-use-nodiscard)
  std::string file(std::string_view name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string executable(std::string_view name, std::string_view text) const {
    file(name, text);
    std::filesystem::permissions(path(name), std::filesystem::perms(0755));
    return path(name);
  }
  std::string copy_of(const std::string& original, std::string_view name) const {
    std::filesystem::copy_file(original, path(name));
    return path(name);
  }
  // NOLINTEND(modernize-use-nodiscard)

 private:
  std::filesystem::path folder_;
};
