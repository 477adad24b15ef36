#include "analyzer/export/json_text.hpp"

#include "analyzer/json_document.hpp"

namespace tidemark::exports {

std::string json_string(const std::string& text) {
  return analyzer::json_line(text);
}

}  // namespace tidemark::exports
