#include "analyzer/cli/shared/kept_files.hpp"

#include "analyzer/io/same_file.hpp"
#include "collector/trace/output/output_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace tidemark::cli {
namespace {

/// The one name of the file that an output replaces; none of a stream, and of what cannot be
/// written.
std::optional<std::string> replaced_file(const std::string& output) {
  const auto target = trace::find_output(output);
  if (output.empty() || !target.ok() || target.value().kind != trace::OutputTarget::Kind::kFile) {
    return std::nullopt;
  }
  std::error_code error;
  const auto path = std::filesystem::weakly_canonical(target.value().path, error);
  return error ? target.value().path : path.string();
}

Status keeps_input(const std::string& output, const std::string& input) {
  if (!analyzer::is_same_file(output, input)) {
    return success();
  }
  return Error{ErrorCode::kUsage,
               output == input
                   ? fmt::format("{} is read, so it cannot be written; name another file", output)
                   : fmt::format("{} is {}, which is read, so it cannot be written; name "
                                 "another file",
                                 output, input)};
}

}  // namespace

Status keeps_files(const NamedFiles& files) {
  std::vector<std::string> replaced;
  for (const std::string& output : files.outputs) {
    for (const std::string& input : files.inputs) {
      if (Status kept = keeps_input(output, input); !kept.ok()) {
        return kept;
      }
    }
    if (auto file = replaced_file(output)) {
      if (std::ranges::count(replaced, *file) != 0) {
        return Error{ErrorCode::kUsage,
                     fmt::format("{} would be written twice; name another file", output)};
      }
      replaced.push_back(std::move(*file));
    }
  }
  return success();
}

}  // namespace tidemark::cli
