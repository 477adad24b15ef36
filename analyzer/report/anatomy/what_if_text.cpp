#include "analyzer/report/anatomy/what_if_text.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/text/change_text.hpp"
#include "analyzer/text/markdown.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

namespace tidemark::analyzer {
namespace {

std::string peak_of(const Report& report, std::uint64_t bytes) {
  return format_size(bytes) + times_model_of(report, bytes);
}

std::string names_of(const std::vector<TakenAway>& taken) {
  constexpr std::size_t kMaxNames = 3;
  std::string names;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (i == kMaxNames && taken.size() > kMaxNames + 1) {
      return names + fmt::format(" and {} more", taken.size() - kMaxNames);
    }
    const bool is_last = i + 1 == taken.size();
    names += (i == 0 ? "" : is_last ? " and " : ", ") + taken[i].text;
  }
  return names;
}

std::string basis_of(const Report& report) {
  return fmt::format(
      "Recomputed on the {} events of the recording, as if this memory had never been asked for or "
      "had gone as the finding says; what the program would do instead is not in it.",
      format_count(report.event_count));
}

}  // namespace

std::string finding_label(const Finding& finding) {
  const auto& frames = finding.taken_frames.empty() ? finding.frames : finding.taken_frames;
  return frames.empty() ? finding.title : finding.title + ", " + place_text(frames);
}

std::string what_if_sentence(const Report& report,
                             const std::vector<TakenAway>& taken,
                             std::uint64_t peak_bytes) {
  return fmt::format("Without {}: a peak of {}, not {} ({}).", names_of(taken),
                     peak_of(report, peak_bytes), peak_of(report, report.peak.footprint_bytes),
                     format_change(report.peak.footprint_bytes, peak_bytes));
}

std::string what_if_text(const Report& report,
                         const std::vector<TakenAway>& taken,
                         std::uint64_t peak_bytes,
                         const std::string& file) {
  std::string text = what_if_sentence(report, taken, peak_bytes) + "\n\n";
  for (const TakenAway& one : taken) {
    text += fmt::format("  {:>10}  {}\n", format_size(one.bytes), one.text);
  }
  return text + "\n" + basis_of(report) + " " + file + "\n";
}

std::string what_if_markdown(const Report& report,
                             const std::vector<TakenAway>& taken,
                             std::uint64_t peak_bytes,
                             const std::string& file) {
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"peak, as recorded", md_text(peak_of(report, report.peak.footprint_bytes))});
  for (const TakenAway& one : taken) {
    rows.push_back({"without " + md_text(one.text), md_text(format_size(one.bytes))});
  }
  rows.push_back({"**peak without**", "**" + md_text(peak_of(report, peak_bytes)) + "**"});
  return md_text(what_if_sentence(report, taken, peak_bytes)) + "\n\n" +
         md_table({{"", false}, {"bytes", true}}, rows) + md_text(basis_of(report)) +
         (file.empty() ? "" : " " + md_code(file)) + "\n";
}

}  // namespace tidemark::analyzer
