/// Compares a text with the one that was agreed on.
#pragma once

#include <string>

namespace tidemark::tests {

/// Compares with tests/data/report/`name`. With TIDEMARK_UPDATE_GOLDEN=1 that file is rewritten.
void check_golden(const std::string& name, const std::string& text);

}  // namespace tidemark::tests
