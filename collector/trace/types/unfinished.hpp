/// How a trace is called while it is being written.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::trace {

/// Stands behind its final name.
constexpr std::string_view kUnfinished = ".incomplete";

inline std::string unfinished_name(const std::string& path) {
  return path + std::string(kUnfinished);
}
/// The name that it gets, or has; the same for one that is whole.
inline std::string finished_name(const std::string& path) {
  return path.substr(0, path.size() - (path.ends_with(kUnfinished) ? kUnfinished.size() : 0));
}

}  // namespace tidemark::trace
