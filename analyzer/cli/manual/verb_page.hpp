/// Manual pages of the command and of its verbs: what `--help` says.
#pragma once

#include "analyzer/cli/shared/command_tree.hpp"

#include <string>
#include <string_view>

namespace tidemark::cli {

/// tidemark(1).
std::string command_page(const CommandTree& tree, std::string_view version);

/// tidemark-VERB(1).
std::string verb_page(const CommandTree& tree, const CommandVerb& verb, std::string_view version);

}  // namespace tidemark::cli
