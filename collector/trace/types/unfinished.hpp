/// The name of a trace while it is being written.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::trace {

/// Appended to its final name.
constexpr std::string_view kUnfinished = ".incomplete";

inline std::string unfinished_name(const std::string& path) {
  return path + std::string(kUnfinished);
}
/// The final name of an unfinished trace; unchanged for a complete one.
inline std::string finished_name(const std::string& path) {
  return path.substr(0, path.size() - (path.ends_with(kUnfinished) ? kUnfinished.size() : 0));
}

}  // namespace tidemark::trace
