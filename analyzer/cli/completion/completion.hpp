/// What a shell may offer for the word that is being typed.
#pragma once

#include "analyzer/cli/shared/command_tree.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::cli {

struct Candidate {
  std::string word;
  std::string about;
};

/// Completions that are left to the shell.
enum class ShellOffers { kNothing, kFiles, kTraces, kFolders, kCommand };

struct Completion {
  std::vector<Candidate> candidates;  ///< All begin with what was typed.
  ShellOffers offers = ShellOffers::kNothing;
  std::size_t command_at = 0;  ///< With kCommand: index of the program's word.
};

/// @param words all words typed after `tidemark`, up to the cursor; the last one, which may be
/// empty, is to be completed. A trace among them is opened for the names of its phases.
Completion complete(const CommandTree& tree, const std::vector<std::string>& words);

/// A line `WORD<tab>ABOUT` for each candidate, and one for what the shell offers: `:files`,
/// `:command 3`. The scripts beside this read it.
std::string completion_text(const Completion& completion);

}  // namespace tidemark::cli
