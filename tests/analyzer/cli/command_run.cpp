#include "tests/analyzer/cli/command_run.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <sys/wait.h>

namespace tidemark::tests {

std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Outcome run_command(const std::string& command) {
  const TemporaryFolder folder;
  const std::string line =
      "(" + command + ") > " + folder.file("out") + " 2> " + folder.file("err");
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000, contents_of(folder.file("out")),
          contents_of(folder.file("err"))};
}

Outcome tidemark_with(const std::string& arguments, const std::string& variables) {
  return run_command(
      "env -u GITHUB_STEP_SUMMARY -u GITHUB_WORKSPACE -u COLUMNS -u NO_COLOR -u CLICOLOR_FORCE "
      "-u FORCE_COLOR LC_ALL=C.UTF-8 " +
      variables + " " TIDEMARK_COMMAND " " + arguments);
}

void check_refused(const Outcome& outcome, const std::string& sentence) {
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Catch::StartsWith("tidemark: "));
  CHECK_THAT(outcome.err, Catch::Contains(sentence));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

}  // namespace tidemark::tests
