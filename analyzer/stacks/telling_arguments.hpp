/// Distinguishes names that are shortened to the same text by a part that was left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// The bracketed part of `function` that differs from `others`, which are shortened to the same
/// text: `with <float>`, `with <.., 16>`, `with (char const*)`. As short as distinguishes it from
/// each of them; empty if nothing does.
std::string telling_arguments(std::string_view function,
                              const std::vector<std::string_view>& others);

}  // namespace tidemark::analyzer
