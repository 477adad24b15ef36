/// What sessions could leave in memory that programs share by name.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace tidemark::tests {

/// The names in /dev/shm that are tidemark's. Other programs, and tests that run beside this one,
/// have files there too.
inline std::set<std::string> session_files() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename();
    if (name.starts_with("tidemark"))
      names.insert(name);
  }
  return names;
}

}  // namespace tidemark::tests
