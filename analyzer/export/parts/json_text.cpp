#include "analyzer/export/parts/json_text.hpp"

#include "analyzer/report/parts/json_document.hpp"

namespace tidemark::exports {

std::string json_string(const std::string& text) {
  return analyzer::json_line(text);
}

}  // namespace tidemark::exports
