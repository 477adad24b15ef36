#include "analyzer/io/out_of_memory.hpp"
#include "analyzer/text/shown_text.hpp"
#include "collector/trace/output/output_file.hpp"
#include "gui/app/application.hpp"
#include "gui/app/options.hpp"

#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include <malloc.h>

namespace {

using namespace tidemark;

int fail(const Error& error) {
  std::fprintf(stderr, "tidemark-gui: %s\n", analyzer::shown_text(error.message).c_str());
  return 2;
}

int run(const gui::Options& options) {
  const auto status = gui::run_application(options);
  return status.ok() ? 0 : fail(status.error());
}

int run(const gui::Answer& answer) {
  std::fputs(answer.text.c_str(), stdout);
  return 0;
}

/// Software OpenGL allocates megabytes for each frame and frees them after it. If malloc keeps
/// them, the kernel need not clear them again for the next frame. The workers share an arena, so
/// that one reuses what another has freed.
void keep_freed_memory() {
  constexpr int kMaxKeptBytes = 32 << 20;
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, kMaxKeptBytes);
  ::mallopt(M_TRIM_THRESHOLD, 2 * kMaxKeptBytes);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  trace::survive_file_size_limit();
  analyzer::end_with_a_sentence("tidemark-gui");
  try {
    const auto options = gui::parse_options(std::vector<std::string>(argv + 1, argv + argc));
    if (!options.ok()) {
      return fail(options.error());
    }
    return std::visit([](const auto& chosen) { return run(chosen); }, options.value());
  } catch (...) {
    return analyzer::fail_by_exception();
  }
}
