#include "analyzer/findings/finding.hpp"

namespace tidemark::analyzer {

const char* finding_name(FindingKind kind) {
  switch (kind) {
    case FindingKind::kHeld:
      return "held";
    case FindingKind::kTwice:
      return "twice";
    case FindingKind::kWrittenTwice:
      return "written_twice";
    case FindingKind::kGrown:
      return "grown";
    case FindingKind::kShortLived:
      return "short_lived";
    case FindingKind::kKept:
      return "kept";
    case FindingKind::kMapped:
      return "mapped";
    case FindingKind::kRefused:
      break;
  }
  return "refused";
}

}  // namespace tidemark::analyzer
