#include "analyzer/findings/finding.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tidemark::analyzer {
namespace {

struct KindName {
  FindingKind kind;
  const char* name;
};

constexpr std::array kNames{
    KindName{FindingKind::kHeld, "held"},
    KindName{FindingKind::kTwice, "twice"},
    KindName{FindingKind::kWrittenTwice, "written_twice"},
    KindName{FindingKind::kGrown, "grown"},
    KindName{FindingKind::kShortLived, "short_lived"},
    KindName{FindingKind::kKept, "kept"},
    KindName{FindingKind::kMapped, "mapped"},
    KindName{FindingKind::kBeforeLoad, "before_load"},
    KindName{FindingKind::kImported, "imported"},
    KindName{FindingKind::kWidened, "widened"},
    KindName{FindingKind::kUntouched, "untouched"},
    KindName{FindingKind::kEarly, "early"},
    KindName{FindingKind::kPythonArenas, "python_arenas"},
    KindName{FindingKind::kRegions, "regions"},
    KindName{FindingKind::kParsed, "parsed"},
    KindName{FindingKind::kSmallBlocks, "small_blocks"},
    KindName{FindingKind::kProcesses, "processes"},
    KindName{FindingKind::kCopyOnWrite, "copy_on_write"},
    KindName{FindingKind::kRefused, "refused"},
};
static_assert(std::ranges::all_of(kNames,
                                  [](const KindName& row) {
                                    return static_cast<std::size_t>(row.kind) ==
                                           static_cast<std::size_t>(&row - kNames.data());
                                  }),
              "a row for each kind, by its number");
static_assert(kNames.size() == static_cast<std::size_t>(FindingKind::kRefused) + 1,
              "kRefused is the last kind");

}  // namespace

const char* finding_name(FindingKind kind) {
  return kNames.at(static_cast<std::size_t>(kind)).name;
}

void Finding::remove_in(Removal& removal) const {
  if (before != nullptr) {
    removal.savings.insert(removal.savings.end(), before->savings.begin(), before->savings.end());
    removal.stacks.insert(removal.stacks.end(), before->stacks.begin(), before->stacks.end());
  }
  if (savings != nullptr) {
    removal.savings.push_back(savings);
  }
  removal.stacks.insert(removal.stacks.end(), stacks.begin(), stacks.end());
}

}  // namespace tidemark::analyzer
