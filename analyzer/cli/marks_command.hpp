/// `tidemark marks`: how to add phases to a loader.
#pragma once

namespace tidemark::cli {

/// Prints the page. @return the exit status.
int run_marks();

}  // namespace tidemark::cli
