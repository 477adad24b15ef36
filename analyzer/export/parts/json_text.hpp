/// Streamed JSON, for documents too large to be built as values first.
#pragma once

#include <string>

namespace tidemark::exports {

/// In quotes, with what must be escaped. Bytes that are no UTF-8 are replaced, so it always parses.
std::string json_string(const std::string& text);

}  // namespace tidemark::exports
