#include "collector/trace/types/unrecorded.hpp"

#include <array>

namespace tidemark::trace {
namespace {

/// By WhyUnrecorded. Part of the format: FORMAT.md has them too.
constexpr std::array<std::string_view, 17> kWords = {
    "unknown",        "architecture", "static",         "c_library",       "set_id",
    "environment",    "sanitizer",    "root_directory", "mount_namespace", "pid_namespace",
    "user_namespace", "privileges",   "address_space",  "too_many",        "ended_early",
    "bare_fork",      "seccomp"};

}  // namespace

std::string_view word_of(WhyUnrecorded why) {
  const auto index = static_cast<std::size_t>(why);
  return kWords[index < kWords.size() ? index : 0];
}

WhyUnrecorded why_of(std::string_view word) {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i] == word)
      return static_cast<WhyUnrecorded>(i);
  }
  return WhyUnrecorded::kUnknown;
}

}  // namespace tidemark::trace
