/// The file around a page's data.
#pragma once

#include "analyzer/report/parts/json_document.hpp"

#include <string>
#include <string_view>

namespace tidemark::html {

/// The whole page: assets, colours and `data`, from which its script builds everything that is
/// seen. What comes from a trace is in `title` and `data` only, and is no markup there, whatever it
/// says. The page may run its own script and load nothing: its content security policy says so.
std::string html_of(std::string_view title, const analyzer::Json& data);

/// JSON that can stand inside a script element: without `<`, `>` and `&`.
std::string embedded_json(const analyzer::Json& data);

/// Text that can stand inside an element.
std::string escaped_text(std::string_view text);

}  // namespace tidemark::html
