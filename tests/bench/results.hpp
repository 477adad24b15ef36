/// Everything that one run of the bench has measured, and how it is shown.
#pragma once

#include "tests/bench/pair_rows.hpp"
#include "tests/bench/program_rows.hpp"
#include "tests/bench/reading_row.hpp"
#include "tests/bench/tour_row.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tidemark::bench {

struct Results {
  std::string machine;  ///< Processor, cores, load at the start.
  std::vector<PairRow> pairs;
  std::vector<PairRow> lifetimes;
  std::optional<double> unwinding_ns;
  std::vector<ProgramRow> programs;
  std::optional<ReadingCost> reading;
  std::optional<TouchedCost> touched;
  std::optional<TourCost> tour;
};

/// A number to reach, beside what was measured.
struct Target {
  std::string what;
  std::string wanted;
  std::string measured;
  bool reached = false;
};

/// The targets for which there is a measurement.
std::vector<Target> targets(const Results& results);

/// Processor, cores, and how busy others keep it.
std::string describe_machine();

std::string text(const Results& results);
std::string json(const Results& results);

}  // namespace tidemark::bench
