/// The diff as GitHub markdown, to be pasted in a pull request.
#pragma once

#include "analyzer/diff/diff.hpp"

#include <string>

namespace tidemark::analyzer {

std::string diff_markdown(const Diff& diff);

}  // namespace tidemark::analyzer
