/// Runs the built `tidemark`, and other programs, as a person would.
#pragma once

#include <string>

namespace tidemark::tests {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

std::string contents_of(const std::string& path);

/// Through the shell, which also serves redirections.
Outcome run_command(const std::string& command);

/// `tidemark ARGUMENTS`.
Outcome tidemark_with(const std::string& arguments);

}  // namespace tidemark::tests
