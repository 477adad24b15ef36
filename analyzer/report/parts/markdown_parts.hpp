/// What the markdown of a report and of a diff have in common.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "analyzer/stacks/stack_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// A stack as one cell of a table: the asking function, followed by what distinguishes it and
/// `note`, and its callers if wanted.
std::string md_stack(const std::vector<NamedFrame>& frames,
                     const Telling& telling,
                     std::string_view note,
                     bool with_callers);

/// A paragraph for each warning; nothing when there are none.
std::string md_warnings(const std::vector<std::string>& warnings);

/// `COMMAND`, exit status 0 after 4.1 s, 129 events.
std::string md_load(const Report& report);

/// The programs that were not recorded, a line of a list each; nothing when there are none.
/// @param side stands before each of them.
std::string md_unrecorded(const Report& report, std::string_view side);

/// A name with the indentation of its text form.
std::string md_indented(std::string_view name);

}  // namespace tidemark::analyzer
