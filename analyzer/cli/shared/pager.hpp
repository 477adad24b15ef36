/// Text that is longer than the screen, a page at a time.
#pragma once

#include <string>

namespace tidemark::cli {

/// Disables the pager from now on: --no-pager.
void do_without_pager();

/// If standard output is a terminal with fewer lines than the text, shows it in $TIDEMARK_PAGER,
/// $PAGER or `less -FRX`, and waits until the reader is done. The pager's exit status is ignored.
/// @return false if no pager is to be used or none can be started: nothing has been shown.
bool show_in_pager(const std::string& text);

}  // namespace tidemark::cli
