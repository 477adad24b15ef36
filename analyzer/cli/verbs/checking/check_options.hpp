/// What `tidemark check` was asked for.
#pragma once

#include "analyzer/cli/shared/verb.hpp"

#include <string>
#include <vector>

namespace tidemark::cli {

/// Everything as it was typed; empty where it was not.
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
  bool github = false;
};

/// Adds the verb to the command line. `command` stays borrowed, and gets the options' values.
Verb add_verb(CLI::App& app, CheckCommand& command);

}  // namespace tidemark::cli
