// What Python's allocator of small objects hides.
//
// `python_arenas`: its arenas hold a fifth of the peak or more, and 16 MiB. Their stacks name the
// line that was short of an arena. There is no peak without them.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/regions/python_arenas.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Names the line that was short of most of the arenas; one that was short of a few may have just
/// happened to need the last free place.
std::string sentence_of(const PythonArenas& arenas, const std::vector<NamedFrame>& frames) {
  const std::string most = arenas.largest_bytes > arenas.bytes / 2 && !frames.empty() &&
                                   frames[asking_frame(frames)].is_python
                               ? fmt::format(", {} of them mapped for {}",
                                             format_size(arenas.largest_bytes), place_text(frames))
                               : std::string();
  return fmt::format(
      "{} of the peak are arenas of Python's small objects{}: a run with PYTHONMALLOC=malloc shows "
      "which lines hold them.",
      format_size(arenas.bytes), most);
}

}  // namespace

void find_python_arenas(LoadedTrace& trace, const LoadFacts& load, std::vector<Finding>& findings) {
  constexpr std::uint64_t kTellingBytes = std::uint64_t{16} << 20U;
  constexpr std::uint64_t kTellingPart = 5;
  const std::uint64_t telling = std::max(kTellingBytes, load.peak.footprint_bytes / kTellingPart);
  if (load.peak.lanes[trace::Lane::kAnon] < telling || !may_have_python_arenas(trace)) {
    return;
  }
  const PythonArenas arenas = python_arenas(live_set_at(trace, load.peak.at), trace);
  if (arenas.bytes < telling) {
    return;
  }
  Finding finding{.kind = FindingKind::kPythonArenas, .title = "small Python objects"};
  finding.bytes = arenas.bytes;
  finding.at_ns = load.peak.at.at_ns;
  finding.frames = named_stack(trace.definitions(), arenas.largest);
  finding.sentence = sentence_of(arenas, finding.frames);
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
