/// What a load's peak would be without some of its memory, in words.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// One thing that was taken away.
struct TakenAway {
  std::string text;         ///< `two copies of the weights`, `load (loader.cpp:40)`.
  std::uint64_t bytes = 0;  ///< Its bytes at the peak; for a block, its size.
};

/// `two copies of the weights, load (loader.cpp:40)`, the place of what is taken away: several of a
/// load may have one title.
std::string finding_label(const Finding& finding);

/// `Without two copies of the weights: a peak of 266.5 MiB = 1.11 x W, not 506.5 MiB = 2.11 x W
/// (-47.4%).` @param peak_bytes without all of it.
std::string what_if_sentence(const Report& report,
                             const std::vector<TakenAway>& taken,
                             std::uint64_t peak_bytes);

/// The sentence, the list of what was removed, and what the numbers mean, to be pasted into a pull
/// request.
/// @param file the trace's name; empty: it is not said.
std::string what_if_text(const Report& report,
                         const std::vector<TakenAway>& taken,
                         std::uint64_t peak_bytes,
                         const std::string& file);
std::string what_if_markdown(const Report& report,
                             const std::vector<TakenAway>& taken,
                             std::uint64_t peak_bytes,
                             const std::string& file);

}  // namespace tidemark::analyzer
