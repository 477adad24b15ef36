/// The file around a page's data.
#pragma once

#include "analyzer/report/parts/json_document.hpp"

#include <string>
#include <string_view>

namespace tidemark::html {

/// The whole page: assets, colours and `data`, from which its script builds everything that is
/// seen. `words` is HTML for readers without the script; text from a trace must have passed
/// `escaped_text` there. In `title` and `data`, text is never taken for markup. The content
/// security policy lets the page run only its own script and load nothing.
std::string html_of(std::string_view title, std::string_view words, const analyzer::Json& data);

/// JSON, deflated, in base64: letters and digits, `+`, `/` and `=`.
std::string packed_json(const analyzer::Json& data);

/// The text escaped for use inside an element.
std::string escaped_text(std::string_view text);

}  // namespace tidemark::html
