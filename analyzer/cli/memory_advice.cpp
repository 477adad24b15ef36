#include "analyzer/cli/memory_advice.hpp"

#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <variant>

#include <sys/resource.h>

namespace tidemark::cli {
namespace {

// One for each verb: a new verb does not compile until it says which traces it reads.

std::vector<std::string> traces_of(const ReportCommand& command) {
  return {command.file};
}
std::vector<std::string> traces_of(const DiffCommand& command) {
  return {command.before, command.after};
}
std::vector<std::string> traces_of(const PlotCommand& command) {
  return {command.file, command.other};
}
std::vector<std::string> traces_of(const CheckCommand& command) {
  return {command.file};
}
std::vector<std::string> traces_of(const BaselineCommand& command) {
  return {command.file};
}
std::vector<std::string> traces_of(const ExportCommand& command) {
  return {command.file};
}
std::vector<std::string> traces_of(const RecordOptions&) {
  return {};  // It brings the program to its end first, and says what became of the recording.
}
std::vector<std::string> traces_of(const CompareCommand&) {
  return {};  // There is none yet.
}
std::vector<std::string> traces_of(const ViewCommand&) {
  return {};  // The window reads it, and says so itself.
}
std::vector<std::string> traces_of(const ExplainCommand&) {
  return {};
}
std::vector<std::string> traces_of(const MarksCommand&) {
  return {};
}
std::vector<std::string> traces_of(const Answer&) {
  return {};
}

std::uint64_t bytes_of(const std::vector<std::string>& files) {
  std::uint64_t bytes = 0;
  for (const std::string& file : files) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    bytes += error ? 0 : size;
  }
  return bytes;
}

/// The address space, in MiB rounded up, that reading traces of this many bytes takes: measured on
/// programs that import torch, whose 17 MB take 525 MiB. Most take less.
std::uint64_t likely_mib(std::uint64_t traces) {
  constexpr std::uint64_t kAtLeast = 100;
  constexpr std::uint64_t kTimes = 30;
  constexpr std::uint64_t kStep = 50;
  return (kAtLeast + (traces * kTimes >> 20U) + kStep - 1) / kStep * kStep;
}

/// The command line as it was typed, so that it has the verb and the names of the files.
std::string typed(const std::vector<std::string>& words) {
  constexpr std::size_t kMaxBytes = 300;
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return analyzer::shown_text(text.size() <= kMaxBytes ? text : text.substr(0, kMaxBytes) + "...");
}

}  // namespace

std::string out_of_memory_sentence(const Command& command,
                                   const std::vector<std::string>& words,
                                   std::optional<std::uint64_t> limit_bytes) {
  const auto traces = std::visit([](const auto& chosen) { return traces_of(chosen); }, command);
  const std::uint64_t bytes = bytes_of(traces);
  if (bytes == 0) {
    return {};
  }
  const std::string likely = analyzer::format_count(likely_mib(bytes)) + " MiB";
  const std::string size = analyzer::format_size(bytes);
  if (limit_bytes) {
    return fmt::format(
        "out of memory in '{}': its limit is {} (ulimit -v), and {} of traces may take {} or more; "
        "raise the limit",
        typed(words), analyzer::format_size(*limit_bytes), size, likely);
  }
  return fmt::format(
      "out of memory in '{}': {} of traces may take {} or more; end other programs, or read them "
      "on a machine with more memory",
      typed(words), size, likely);
}

std::optional<std::uint64_t> address_space_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
             ? std::optional<std::uint64_t>(limit.rlim_cur)
             : std::nullopt;
}

}  // namespace tidemark::cli
