/// What `compare` leaves in its folder beside the two traces.
#pragma once

#include "analyzer/diff/diff.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::cli {

struct Comparison {
  std::string folder;              ///< Holds before.tmk and after.tmk already.
  analyzer::Diff diff;             ///< With as many stacks as its JSON is to have.
  std::size_t text_top;            ///< Stacks to list where people read; 0: all.
  std::string align;               ///< In the pictures: time, phase, bytes.
  bool dark;                       ///< Pictures for dark pages, too.
  std::vector<std::string> notes;  ///< Sentences about the runs, to stand under the diff.
};

/// Writes every file. @return their names, or the first error.
Result<std::vector<std::string>> write_comparison(const Comparison& comparison);

}  // namespace tidemark::cli
