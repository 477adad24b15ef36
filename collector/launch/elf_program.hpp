/// Can a preloaded object reach a program, judging by the program's ELF file?
#pragma once

#include "collector/os/elf_facts.hpp"
#include "collector/os/secure_mode.hpp"

#include <string>

namespace tidemark {

struct Obstacle {
  std::string sentence;  ///< Continues "'NAME' ...", and says what to do; empty when there is none.
  bool is_absence = false;  ///< execve would fail with ENOENT, so execvp goes on along PATH.
};

/// @param facts of the open `file`.
Obstacle find_obstacle(const ElfFacts& facts, int file, const Credentials& caller);

}  // namespace tidemark
