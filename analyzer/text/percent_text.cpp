#include "analyzer/text/percent_text.hpp"

#include <fmt/format.h>

namespace tidemark::analyzer {

std::string format_percent(double percent) {
  if (percent == 0) {
    return "0%";
  }
  if (percent < 0.005) {
    return "<0.01%";
  }
  return fmt::format("{:.{}f}%", percent, percent < 9.995 ? 2 : 1);
}

}  // namespace tidemark::analyzer
