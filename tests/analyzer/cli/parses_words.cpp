// Says whether the command line would take its words, and does nothing of what they ask.
#include "analyzer/cli/command_line.hpp"

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const auto command =
      tidemark::cli::parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
  if (!command.ok()) {
    std::fprintf(stderr, "%s\n", command.error().message.c_str());
  }
  return command.ok() ? 0 : 1;
}
