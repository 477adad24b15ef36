/// What is said when something threw that nobody had expected.
#pragma once

#include <exception>
#include <string>

namespace tidemark::analyzer {

/// `stopped: SENTENCE`, in words for whoever ran the command: what libraries throw is written for
/// programmers.
std::string stopped_sentence(const std::exception& error);

}  // namespace tidemark::analyzer
