#include "analyzer/html/contents/page_what_if.hpp"

#include "analyzer/query/live/load_without.hpp"
#include "analyzer/report/anatomy/what_if_text.hpp"

#include <utility>

namespace tidemark::html {
namespace {

std::vector<std::uint64_t> stretches_of(const std::vector<std::uint64_t>& borders) {
  constexpr std::size_t kMaxStretches = 320;
  const std::size_t step = borders.size() / kMaxStretches + 1;
  std::vector<std::uint64_t> stretches;
  for (std::size_t i = 0; i + 1 < borders.size(); i += step) {
    stretches.push_back(borders[i]);
  }
  if (!borders.empty()) {
    stretches.push_back(borders.back());
  }
  return stretches;
}

PageWhatIf::Set set_of(analyzer::LoadedTrace& trace,
                       const analyzer::Report& report,
                       const PageWhatIf& page,
                       std::size_t members) {
  analyzer::Removal removal;
  std::vector<analyzer::TakenAway> taken;
  for (std::size_t i = 0; i < page.findings.size(); ++i) {
    if ((members >> i & 1U) != 0) {
      const analyzer::Finding& finding = report.anatomy.findings[page.findings[i]];
      finding.remove_in(removal);
      taken.push_back({analyzer::finding_label(finding), finding.bytes});
    }
  }
  const analyzer::LoadWithout less(trace, removal);
  PageWhatIf::Set set{.peak_bytes = less.peak().lanes.footprint(),
                      .peak_ns = less.peak().at.at_ns,
                      .sentence = {},
                      .markdown = {},
                      .highest = {}};
  set.sentence = analyzer::what_if_sentence(report, taken, set.peak_bytes);
  set.markdown = analyzer::what_if_markdown(report, taken, set.peak_bytes, {});
  for (const analyzer::RemainingColumn& column : less.columns(trace, page.borders)) {
    set.highest.push_back(column.highest.lanes.footprint());
  }
  return set;
}

}  // namespace

PageWhatIf page_what_if(analyzer::LoadedTrace& trace,
                        const analyzer::Report& report,
                        const PageColumns& columns) {
  PageWhatIf page;
  const auto& findings = report.anatomy.findings;
  for (std::size_t i = 0; i < findings.size() && page.findings.size() < kMaxWhatIfFindings; ++i) {
    if (findings[i].can_be_removed()) {
      page.findings.push_back(i);
    }
  }
  if (page.findings.empty()) {
    return page;
  }
  page.borders = stretches_of(columns.borders);
  for (std::size_t members = 1; members < std::size_t{1} << page.findings.size(); ++members) {
    page.sets.push_back(set_of(trace, report, page, members));
  }
  return page;
}

}  // namespace tidemark::html
