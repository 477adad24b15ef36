/// Text as troff's man macros take it.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::cli {

/// Escapes text so that every character means itself; for the middle of a line.
std::string roff_text(std::string_view text);

/// The same for a whole line, which is never taken for a request.
std::string roff_line(std::string_view text);

/// The beginning of a page, up to its name.
/// @param name `tidemark-record`; @param section `1`; @param about what the name section says.
std::string page_head(std::string_view name,
                      std::string_view section,
                      std::string_view about,
                      std::string_view version);

}  // namespace tidemark::cli
