/// The text of `preload/python_marks/tidemark_marks.py`, built in: `embed_text.cmake` makes its
/// definition.
#pragma once

#include <string_view>

namespace tidemark::cli {

extern const std::string_view kPythonMarks;

}  // namespace tidemark::cli
