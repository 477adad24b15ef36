/// What the parts of a page share of the stacks of one trace.
#pragma once

#include "analyzer/html/contents/stack_forest.hpp"
#include "analyzer/stacks/alike/stack_groups.hpp"
#include "analyzer/stacks/asker_finder.hpp"

namespace tidemark::html {

/// Each stack is planted, read and searched for who asked once, however many lists have it.
struct TraceStacks {
  /// Both stay borrowed.
  TraceStacks(const trace::Definitions& definitions, StackForest& forest)
      : planter(definitions, forest), readings(definitions), askers(definitions) {}

  StackPlanter planter;
  analyzer::StackReadings readings;
  analyzer::AskerFinder askers;
};

}  // namespace tidemark::html
