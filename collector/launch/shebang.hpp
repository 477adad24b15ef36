/// The first line of a script, read as the kernel reads it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

struct Shebang {
  std::string interpreter;
  std::string argument;  ///< All that follows, as one argument; may be empty.
};

/// The kernel looks at no more of a file than this (BINPRM_BUF_SIZE).
constexpr std::size_t kShebangBytes = 256;

/// @param head the first kShebangBytes of the file, or all of a shorter one.
/// @return empty when the kernel would not take the file for a script.
std::optional<Shebang> parse_shebang(std::string_view head);

/// What `#!/usr/bin/env NAME` and `#!/usr/bin/env -S NAME ARGS` start. Empty for other
/// interpreters, and where env's other options or assignments could change the search.
std::optional<std::string> env_target(const Shebang& shebang);

}  // namespace tidemark
