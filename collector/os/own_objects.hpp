/// The shared objects that belong to this command.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace tidemark {

/// @return path of the object `name` in the `lib` folder beside this command's own folder, in a
/// build tree or installed; empty if it is not there.
inline std::string find_own_object(const char* name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto prefix = self.parent_path().parent_path();
  for (const char* place :
       {"lib", "lib/tidemark", "lib/x86_64-linux-gnu/tidemark", "lib64/tidemark"}) {
    const auto object = prefix / place / name;
    if (std::filesystem::exists(object, error))
      return object.string();
  }
  return {};
}

}  // namespace tidemark
