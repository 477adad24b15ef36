/// Pieces of GitHub markdown. Somebody else's text goes in through `md_text` or `md_code`, so that
/// no function name or path can change how the page looks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// Shown as it stands, as `shown_text` makes it: characters with a meaning are escaped.
std::string md_text(std::string_view text);

/// In fixed width, as it stands, as `shown_text` makes it.
std::string md_code(std::string_view text);

/// Lines in fixed width. They end in a line end, and hold what `shown_text` would leave.
std::string md_block(std::string_view text);

/// One column of a table.
struct MdColumn {
  std::string heading;
  bool is_number = false;  ///< Set to the right.
};

/// A table and the empty line it needs after it. Cells are markdown of one line, in which bars may
/// stand; a row may have fewer of them than there are columns.
std::string md_table(const std::vector<MdColumn>& columns,
                     const std::vector<std::vector<std::string>>& rows);

}  // namespace tidemark::analyzer
