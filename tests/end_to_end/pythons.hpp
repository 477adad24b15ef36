/// The Pythons that tests run programs with.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace tidemark::tests {

/// This machine's, and those of TIDEMARK_PYTHONS, with colons between.
inline std::vector<std::string> pythons() {
  const char* more = std::getenv("TIDEMARK_PYTHONS");
  std::istringstream all(std::string("/usr/bin/python3:") + (more != nullptr ? more : ""));
  std::vector<std::string> found;
  for (std::string path; std::getline(all, path, ':');) {
    if (access(path.c_str(), X_OK) == 0)
      found.push_back(path);
  }
  return found;
}

}  // namespace tidemark::tests
