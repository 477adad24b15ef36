#include "analyzer/report/anatomy/anatomy_markdown.hpp"

#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/text/markdown.hpp"

namespace tidemark::analyzer {

std::string md_why(std::span<const WhySentence> sentences) {
  std::string text;
  for (const WhySentence& sentence : sentences) {
    if (sentence.kind == WhyKind::kAdvice && !text.empty()) {
      text.back() = ' ';  // On the line of its finding.
    } else {
      text += sentence.kind == WhyKind::kGroup ? "  - " : "- ";
    }
    text += md_text(sentence.text) + '\n';
  }
  return text.empty() ? text : text + '\n';
}

std::string md_why(const Report& report) {
  return md_why(why_sentences(report, true));
}

std::string md_anatomy(const Report& report) {
  constexpr TextStyle kPicture{.width = 100, .colour = false, .utf8 = true};
  const std::string picture = chain_picture(report, kPicture);
  return picture.empty() ? md_why(report) : md_why(report) + md_block(picture) + '\n';
}

}  // namespace tidemark::analyzer
