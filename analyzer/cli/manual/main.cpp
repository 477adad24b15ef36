// tidemark-manual FOLDER FORMAT.md GATE.md: writes the manual's pages into the folder. Run by the
// build.
#include "analyzer/cli/command_line.hpp"
#include "analyzer/cli/manual/markdown_page.hpp"
#include "analyzer/cli/manual/verb_page.hpp"

#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

using namespace tidemark;

namespace {

std::optional<std::string> text_of(const char* path) {
  std::ostringstream text;
  if (!(text << std::ifstream(path).rdbuf())) {
    std::fprintf(stderr, "tidemark-manual: cannot read %s\n", path);
    return std::nullopt;
  }
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("tidemark-manual FOLDER FORMAT.md GATE.md\n", stderr);
    return 2;
  }
  const std::string folder = argv[1];
  bool written = true;
  const auto write = [&](const std::string& name, const std::string& page) {
    std::ofstream file(folder + '/' + name);
    file << page;
    file.close();
    written = written && !file.fail();
  };

  const auto format = text_of(argv[2]);
  const auto gate = text_of(argv[3]);
  if (!format || !gate) {
    return 1;
  }
  const cli::CommandTree tree = cli::command_tree();
  write("tidemark.1", cli::command_page(tree, TIDEMARK_VERSION));
  for (const cli::CommandVerb& verb : tree.verbs) {
    write("tidemark-" + verb.name + ".1", cli::verb_page(tree, verb, TIDEMARK_VERSION));
  }
  // The window takes what `tidemark view` does.
  write("tidemark-gui.1", ".so man1/tidemark-view.1\n");
  write("tidemark-trace.5", cli::markdown_page("tidemark-trace", "5", *format, TIDEMARK_VERSION));
  write("tidemark-gate.5", cli::markdown_page("tidemark-gate", "5", *gate, TIDEMARK_VERSION));
  if (!written) {
    std::fprintf(stderr, "tidemark-manual: cannot write to %s\n", folder.c_str());
  }
  return written ? 0 : 1;
}
