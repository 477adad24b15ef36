// Pages of the model's private mappings that were written: copies of what the file has.
//
// `copy_on_write`: the written pages of the mappings of one place have a twentieth of the peak.
// Each such mapping is an allocation in lane anon that names the file (FORMAT.md, *extra*).

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// The written pages of the mappings that one place made.
struct Written {
  std::uint64_t bytes = 0;
  std::uint64_t mappings = 0;
  std::vector<std::uint32_t> lives;
  trace::StackId stack = trace::kNoStack;
  Savings savings;
};

std::map<std::uint32_t, Written> written_by_place(const Evidence& evidence) {
  Places& places = *evidence.places;
  std::map<std::uint32_t, Written> by_place;
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    const bool counts = lives[i].is_written_model && lives[i].is_alive_after(evidence.peak) &&
                        !evidence.explained[i];
    const std::uint64_t bytes = counts ? evidence.flow.size_after(i, evidence.peak - 1) : 0;
    if (bytes == 0) {
      continue;
    }
    Written& place = by_place[places.of(lives[i].stack)];
    place.bytes += bytes;
    ++place.mappings;
    place.lives.push_back(i);
    place.stack = lives[i].stack;
    evidence.flow.save(i, 0, place.savings);
  }
  return by_place;
}

}  // namespace

void find_written_pages(Evidence& evidence, std::vector<Finding>& findings) {
  for (const auto& [number, place] : written_by_place(evidence)) {
    if (place.bytes < evidence.worth_saying()) {
      continue;
    }
    const auto without = evidence.lower_peak(place.savings);
    if (!without) {
      continue;
    }
    Finding finding{.kind = FindingKind::kCopyOnWrite,
                    .title = "private copies of the mapped model"};
    finding.sentence = fmt::format(
        "{} of the model's mapped pages are private copies, in {} {} of {}: they were written to, "
        "or "
        "made ready for it by MAP_POPULATE.",
        format_size(place.bytes), format_count(place.mappings),
        place.mappings == 1 ? "mapping" : "mappings",
        place_text(named_stack(evidence.trace.definitions(), place.stack)));
    finding.bytes = place.bytes;
    add_finding(evidence, *without, place.stack, std::move(finding), findings);
    evidence.explain(place.lives);
  }
}

}  // namespace tidemark::analyzer
