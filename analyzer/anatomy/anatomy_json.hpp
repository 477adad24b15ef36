/// The anatomy in a JSON report; `analyzer/README.md` lists its keys.
#pragma once

#include "analyzer/anatomy/anatomy.hpp"
#include "analyzer/json_document.hpp"

namespace tidemark::analyzer {

/// Adds `findings`, `floor` and `chain`.
void add_anatomy(const Anatomy& anatomy, Json& json);

}  // namespace tidemark::analyzer
