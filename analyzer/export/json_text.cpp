#include "analyzer/export/json_text.hpp"

#include "analyzer/json_document.hpp"

namespace tidemark::exports {

std::string json_string(const std::string& text) {
  return analyzer::Json(text).dump(-1, ' ', false, analyzer::Json::error_handler_t::replace);
}

std::string valid_utf8(const std::string& text) {
  return analyzer::Json::parse(json_string(text)).get<std::string>();
}

}  // namespace tidemark::exports
