/// A program that is recorded while a window shows how its memory grows.
#pragma once

#include "analyzer/cli/verbs/recording/record_command.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tidemark::cli {

/// Words that start the window on a trace; the first is its program.
using WindowWords = std::function<std::vector<std::string>(const std::string& trace)>;

/// Records with these options, and opens the window as soon as there is something to show: the
/// trace written so far, or the whole trace if the program has ended by then. Returns once both
/// have ended.
/// @return the program's exit status; 2 if it could not be recorded.
int record_and_view(const RecordOptions& options, const WindowWords& window);

}  // namespace tidemark::cli
