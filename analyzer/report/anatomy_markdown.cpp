#include "analyzer/report/anatomy_markdown.hpp"

#include "analyzer/report/anatomy_text.hpp"
#include "analyzer/text/markdown.hpp"

namespace tidemark::analyzer {

std::string md_why(const Report& report) {
  constexpr std::size_t kMaxFindings = 6;
  std::string text;
  for (std::size_t i = 0; i < report.anatomy.findings.size() && i < kMaxFindings; ++i) {
    const Finding& finding = report.anatomy.findings[i];
    const std::string advice = advice_text(report, finding);
    text += "- " + md_text(finding_text(report, finding)) +
            (advice.empty() ? advice : ' ' + md_text(advice)) + '\n';
  }
  if (const std::string unexplained = unexplained_text(report); !unexplained.empty()) {
    text += "- " + md_text(unexplained) + '\n';
    for (const PeakGroup& group : report.anatomy.groups) {
      text += "  - " + md_text(group_text(report, group)) + '\n';
    }
  }
  if (const std::string floor = floor_text(report); !floor.empty()) {
    text += "- " + md_text(floor) + '\n';
  }
  if (const std::string left_out = left_out_text(report); !left_out.empty()) {
    text += "- " + md_text(left_out) + '\n';
  }
  return text.empty() ? text : text + '\n';
}

std::string md_anatomy(const Report& report) {
  constexpr TextStyle kPicture{.width = 100, .colour = false, .utf8 = true};
  const std::string picture = chain_picture(report, kPicture);
  return picture.empty() ? md_why(report) : md_why(report) + md_block(picture) + '\n';
}

}  // namespace tidemark::analyzer
