/// What `tidemark check` was asked for.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

#include <string>
#include <vector>

namespace tidemark::cli {

/// Options as typed; empty if not given.
struct CheckCommand {
  std::string file;
  std::string max_peak;
  std::string max_ratio;
  std::vector<std::string> max_lanes;   ///< LANE=SIZE
  std::vector<std::string> max_phases;  ///< NAME=SIZE
  std::string baseline;
  std::vector<std::string> lanes;   ///< Compared with the baseline beside the peak.
  std::vector<std::string> phases;  ///< The same.
  std::string tolerance;
  std::string slack;
  std::string policy;
  bool allow_loss = false;
  std::string model;
  std::string junit;
  std::string json;
  std::string markdown;
  std::string picture_url;  ///< Where readers of the markdown will see the graph.
  bool github = false;
  bool no_page = false;  ///< For a regression, writes no page or picture beside the trace.
};

/// Files written beside the trace `load.tmk` of a regression: `load.report.html`, `load.graph.svg`.
std::string page_beside(const CheckCommand& command);
std::string picture_beside(const CheckCommand& command);

/// All files that it may write; some names are empty.
std::vector<std::string> outputs_of(const CheckCommand& command);

/// Adds the verb to the command line. `command` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, CheckCommand& command);

}  // namespace tidemark::cli
