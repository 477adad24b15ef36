/// Looks at a program before it is started: what will really run, and can it be recorded?
#pragma once

#include "collector/trace/types/result.hpp"

#include <string>
#include <vector>

namespace tidemark {

struct Program {
  std::string path;  ///< The file that execvp finds for the name.
  /// The ELF file that runs in the end: `path` itself; for a script its interpreter, where
  /// `#!/usr/bin/env NAME` counts as NAME.
  std::string interpreter;
  /// Neither ELF nor `#!`: execve gives ENOEXEC (unless binfmt_misc knows the format), and execvp
  /// then starts `/bin/sh path args`.
  bool needs_shell = false;
  bool heap_invisible = false;        ///< Defines its own malloc, which hides the C library's.
  std::vector<std::string> warnings;  ///< One sentence each.
};

/// Finds `name` as execvp does and follows `#!` lines as the kernel does. Nothing is started,
/// nothing is waited for, and what the file contains is not trusted.
/// @param path_env the value of PATH; null when it is unset.
/// @return kUsage, with one sentence for the user, for a program that cannot be started or that a
/// preloaded object cannot reach.
Result<Program> inspect_program(const std::string& name, const char* path_env);

}  // namespace tidemark
