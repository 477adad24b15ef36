/// A manual page of a document in Markdown.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::cli {

/// Supports what this project's documents use: headings, paragraphs, lists, tables, code, emphasis,
/// links. The first heading becomes the page's description.
std::string markdown_page(std::string_view name,
                          std::string_view section,
                          const std::string& markdown,
                          std::string_view version);

}  // namespace tidemark::cli
