/// A command line as one text, split into the words that a shell would see.
#pragma once

#include "collector/trace/types/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::cli {

/// `./load "my model" -x` becomes its three words, quotes and backslashes understood, so that the
/// program itself is recorded, not a shell that starts it. A text that needs a shell (variables,
/// globs, pipes, redirections, assignments, builtins) is passed to one: then the words are
/// `/bin/sh`, `-c`, and the text.
/// @return kUsage for a text without a word, or with a quote that is not closed.
Result<std::vector<std::string>> words_of_command(std::string_view text);

}  // namespace tidemark::cli
