/// The message for an unexpected exception.
#pragma once

#include <exception>
#include <string>

namespace tidemark::analyzer {

/// `stopped: SENTENCE`, worded for users of the command: messages of library exceptions are written
/// for programmers.
std::string stopped_sentence(const std::exception& error);

}  // namespace tidemark::analyzer
