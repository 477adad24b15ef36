/// The report as JSON, schema 1: stable keys, sizes in bytes, times in ns since the session's
/// start.
#pragma once

#include "analyzer/report/facts/report.hpp"

#include <cstddef>
#include <string>

namespace tidemark::analyzer {

/// Pretty-printed, with a newline at the end. What is unknown is null. Bytes of paths and commands
/// that are no UTF-8 are replaced, so the output always parses.
std::string report_json(const Report& report);

/// The same document in pieces: of all stacks of a large program it takes gigabytes. Each stack
/// beyond the first `kNamedStacks` is on one line.
class ReportJsonPieces {
 public:
  /// `report` stays borrowed.
  explicit ReportJsonPieces(const Report& report);

  /// Empty after the last one.
  std::string next();

 private:
  const Report& report_;
  std::string begin_;     // The document up to the stacks that are not named yet.
  std::string end_;       // What follows those stacks.
  std::size_t rank_ = 0;  // The next stack's.
};

}  // namespace tidemark::analyzer
