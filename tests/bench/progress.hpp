/// One line on a terminal that says what is being measured.
#pragma once

#include <cstdio>
#include <string>

#include <unistd.h>

namespace tidemark::bench {

/// Empty: takes the line away. Nothing at all where stderr is no terminal.
inline void say_progress(const std::string& what) {
  if (isatty(STDERR_FILENO) != 0)
    std::fprintf(stderr, "\r\033[K%s", what.c_str());
}

}  // namespace tidemark::bench
