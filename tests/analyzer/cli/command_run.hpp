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

/// `tidemark ARGUMENTS`. What a CI system would have set is not there, unless `variables` (as
/// NAME=VALUE words) say so.
Outcome tidemark_with(const std::string& arguments, const std::string& variables = {});

/// Checks that bad input got exit status 2, nothing on stdout, and one line with `sentence` in it.
void check_refused(const Outcome& outcome, const std::string& sentence);

}  // namespace tidemark::tests
