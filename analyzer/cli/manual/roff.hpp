/// Text as troff's man macros take it.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::cli {

/// Every character means itself; for the middle of a line.
std::string roff_text(std::string_view text);

/// The same as a line of its own, which is no request whatever it begins with.
std::string roff_line(std::string_view text);

/// What a page begins with, up to its name.
/// @param name `tidemark-record`; @param section `1`; @param about what the name section says.
std::string page_head(std::string_view name,
                      std::string_view section,
                      std::string_view about,
                      std::string_view version);

}  // namespace tidemark::cli
