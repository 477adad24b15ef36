#include "analyzer/picture/headline.hpp"

#include "analyzer/text/change_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::picture {
namespace {

double ratio_of(const Subject& subject) {
  return static_cast<double>(subject.peak_bytes) / static_cast<double>(subject.model_bytes);
}

/// ` (-50.0%)`, as in every other output; empty if the first is 0.
std::string change_text(std::uint64_t before, std::uint64_t after) {
  return before == 0 ? std::string() : " (" + analyzer::format_change(before, after) + ')';
}

}  // namespace

std::string headline(std::span<const Subject> subjects) {
  const Subject& first = subjects.front();
  const Subject& last = subjects.back();
  if (subjects.size() < 2) {
    const std::string phase = first.peak_phase.empty() ? "" : ", in " + first.peak_phase;
    return "Peak " + first.peak_text() + phase;
  }
  std::string text = fmt::format("Peak {} → {}{}", analyzer::format_size(first.peak_bytes),
                                 analyzer::format_size(last.peak_bytes),
                                 change_text(first.peak_bytes, last.peak_bytes));
  if (first.model_bytes > 0 && last.model_bytes > 0) {
    text += fmt::format(", {:.2f} → {:.2f} × W", ratio_of(first), ratio_of(last));
  }
  return text;
}

std::string resident_text(std::span<const Subject> subjects) {
  constexpr double kMuchMore = 1.3;
  std::string text;
  bool is_much = false;
  for (const Subject& subject : subjects) {
    if (subject.resident.empty()) {
      return {};
    }
    const std::uint64_t most = subject.resident_peak();
    is_much =
        is_much || static_cast<double>(most) > kMuchMore * static_cast<double>(subject.peak_bytes);
    text += (text.empty() ? "RSS (sampled) up to " : " → ") + analyzer::format_size(most);
    if (subjects.size() == 1 && subject.model_bytes > 0) {
      text += fmt::format(" = {:.2f} × W",
                          static_cast<double>(most) / static_cast<double>(subject.model_bytes));
    }
  }
  return is_much ? text : std::string();
}

}  // namespace tidemark::picture
