/// Text that is longer than the screen, a page at a time.
#pragma once

#include <string>

namespace tidemark::cli {

/// From here on nothing is shown in a pager: --no-pager.
void do_without_pager();

/// Shows the text in $TIDEMARK_PAGER, $PAGER or `less -FRX`, where standard output is a terminal
/// with fewer lines, and waits until the reader is done. How the pager ends is its own affair.
/// @return false where there is no pager to use, or none that can be started: nothing is shown yet.
bool show_in_pager(const std::string& text);

}  // namespace tidemark::cli
