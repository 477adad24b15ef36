/// Names that are shortened to the same text, told apart by what was left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// What stands between the brackets of `function` and otherwise in one of `others`, which are
/// shortened to the same text: `with <float>`, `with <.., 16>`, `with (char const*)`. No more of it
/// than tells it from each of them; empty where nothing does.
std::string telling_arguments(std::string_view function,
                              const std::vector<std::string_view>& others);

}  // namespace tidemark::analyzer
