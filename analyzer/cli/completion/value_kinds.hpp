/// The kind of an option's value, judged by its name in the help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::cli {

enum class ValueKind {
  kUnknown,
  kFree,  ///< A number, a time, a text: cannot be completed.
  kFile,
  kFolder,
  kCommandLine,
  kWords,  ///< Those in the name itself: `text|json`, `peak|TIME`.
  kFormat,
  kLane,
  kLaneAndSize,
  kPhase,
  kPhaseAndSize,
};

/// @param value_name as the help has it.
ValueKind kind_of_value(std::string_view value_name);

/// The words of `time|phase|bytes`, without what is in capitals.
std::vector<std::string> words_in(std::string_view value_name);

}  // namespace tidemark::cli
