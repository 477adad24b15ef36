/// The runs of a comparison: which one stands for its side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::cli {

/// One recorded run of one command.
struct ComparedRun {
  std::string path;  ///< The trace's.
  std::uint64_t peak_bytes = 0;
  int exit_status = 0;
};

/// All runs of one command.
struct ComparedSide {
  std::string name;     ///< `before` or `after`.
  std::string command;  ///< As the user wrote it.
  std::vector<ComparedRun> runs;
};

/// Index of the run with the median peak; of an even number, the lower of the two in the middle.
/// There must be a run.
std::size_t median_run(const std::vector<ComparedRun>& runs);

/// `before: 5 runs, peaks 1.0 GiB to 1.2 GiB (+20.0%), the median 1.1 GiB is shown`; `all 1.0 GiB`
/// when they are equal to the byte. Empty for a single run.
std::string spread_sentence(const ComparedSide& side);

/// `before: './load x' ended with exit status 3, in 2 of 5 runs`; empty when every run ended
/// with 0.
std::string failure_sentence(const ComparedSide& side);

}  // namespace tidemark::cli
