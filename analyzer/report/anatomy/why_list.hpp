/// Why a peak is as high, as a list, in the same order for report, diff and gate.
#pragma once

#include "analyzer/report/facts/report.hpp"
#include "analyzer/text/text_style.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

enum class WhyKind : std::uint8_t {
  kFinding,
  kAdvice,    ///< What helps against the finding before it.
  kOpen,      ///< What the findings leave open.
  kGroup,     ///< Who holds that.
  kTogether,  ///< The peak without all that they name.
  kFloor,     ///< How low the peak could be.
  kLeftOut,   ///< Which part of the load is unknown.
};

struct WhySentence {
  WhyKind kind = WhyKind::kFinding;
  std::string text{};
};

/// For six findings at most.
/// @param with_refusals if refused requests are mentioned nowhere else: they concern the program,
/// not its peak.
std::vector<WhySentence> why_sentences(const Report& report, bool with_refusals);

/// One of them in a list, indented and wrapped, with its mark.
std::string why_entry(const WhySentence& sentence, const TextStyle& style);

/// All of them under a heading, with the names for `tidemark explain`; empty if there are none.
std::string why_list(const Report& report,
                     const TextStyle& style,
                     std::string_view heading = "why");

}  // namespace tidemark::analyzer
