#pragma once

#include "reference_loaders/nntrainer/resnet.hpp"
#include "reference_loaders/system.hpp"

#include <vector>

namespace tidemark::loaders::nntrainer {

/// A model that `make` writes.
struct NamedResnet {
  const char* name;
  const char* summary;
  ResnetSpec spec;
};

const std::vector<NamedResnet>& named_resnets();

/// The rows of the table: every variant over each batch that was published.
std::vector<SuiteRow> suite(SuiteSize size);

}  // namespace tidemark::loaders::nntrainer
