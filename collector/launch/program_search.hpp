/// Names to files, as execvp does it.
#pragma once

#include <string>
#include <vector>

namespace tidemark {

/// The files that execvp tries for `name`, in its order: `name` itself when it has a slash, else
/// one for each folder of PATH. @param path_env the value of PATH; null when it is unset.
std::vector<std::string> execvp_candidates(const std::string& name, const char* path_env);

struct Startable {
  bool exists = false;
  /// Why execve would turn it down without looking inside, and what to do; empty if it would not.
  std::string obstacle;
};

Startable look_at(const std::string& path);

}  // namespace tidemark
