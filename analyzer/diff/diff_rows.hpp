/// What every format of a diff says: its sentence and the rows of its table.
#pragma once

#include "analyzer/diff/diff.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// `peak 10.0 GiB -> 5.0 GiB: -49.9%, ratio 2.00 -> 1.00`, with `arrow` between the values.
std::string headline_of(const Diff& diff, std::string_view arrow = "->");

/// What a reader must know before believing a number: `before: LOST: 17 dropped records`.
std::vector<std::string> warnings_of(const Diff& diff);

/// `The models differ: W is 96.0 MiB before and 160.2 MiB after.` Empty if only a header differs
/// around the same weights.
std::string models_warning(std::uint64_t before_bytes, std::uint64_t after_bytes);

struct DiffRow {
  std::string name;  ///< Indented by two spaces when it is a part of the row above.
  std::string before;
  std::string after;
  std::string change;   ///< In the unit of the values.
  std::string percent;  ///< Relative to the value before.
};

/// The highest value of each lane, sampled ones too; those that are 0 in both are left out.
std::vector<DiffRow> lane_rows(const Diff& diff);

/// W, the peak ratio, the duration and the events: context for the memory rows.
std::vector<DiffRow> load_rows(const Diff& diff);

/// `stacks at the peak: 3 changed, 12 did not`.
std::string stacks_title_of(const Diff& diff);

/// True for the first of the listed stacks, and those that hold a hundredth of a peak: the callers
/// of others would only push these off the screen.
bool deserves_its_callers(const Diff& diff, std::size_t rank);

/// `went`, `came`, `similar stack`; empty for a stack found unchanged in both.
std::string_view note_on(const DiffStack& stack);

/// The name of a phase; if it has another one after, `read / stream`.
std::string phase_name(const PhasePair& pair);

}  // namespace tidemark::analyzer
