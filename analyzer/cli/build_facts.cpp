#include "analyzer/cli/build_facts.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tidemark::cli {
namespace {

#ifdef __clang__
constexpr std::string_view kCompiler = "clang++ " __clang_version__;
#else
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif

}  // namespace

std::string version_line() {
  const std::string_view commit = kCommit;
  return fmt::format("tidemark {} ({}{}{}, {})", TIDEMARK_VERSION, commit.empty() ? "" : "commit ",
                     commit, commit.empty() ? TIDEMARK_BUILD_TYPE : ", " TIDEMARK_BUILD_TYPE,
                     kCompiler);
}

}  // namespace tidemark::cli
