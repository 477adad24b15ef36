/// Percentages as people read them.
#pragma once

#include <string>

namespace tidemark::analyzer {

/// `12.5%`, `4.25%`, `0%`: three digits or more; `<0.01%` for what is not 0 and would print so.
/// REQUIRES: percent >= 0.
std::string format_percent(double percent);

}  // namespace tidemark::analyzer
