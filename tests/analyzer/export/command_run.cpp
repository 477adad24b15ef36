#include "tests/analyzer/export/command_run.hpp"

#include "tests/analyzer/trace_builder.hpp"

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

Outcome tidemark_with(const std::string& arguments) {
  return run_command("LC_ALL=C.UTF-8 " TIDEMARK_COMMAND " " + arguments);
}

}  // namespace tidemark::tests
