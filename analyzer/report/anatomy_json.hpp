/// The anatomy in a JSON report; `analyzer/README.md` lists its keys.
#pragma once

#include "analyzer/findings/anatomy.hpp"
#include "analyzer/report/json_document.hpp"

namespace tidemark::analyzer {

/// Adds `findings`, `floor` and `chain`.
void add_anatomy(const Anatomy& anatomy, Json& json);

}  // namespace tidemark::analyzer
