/// The anatomy in a JSON report; `analyzer/README.md` lists its keys.
#pragma once

#include "analyzer/report/parts/json_document.hpp"

namespace tidemark::analyzer {

/// Adds `findings`, `unexplained`, `floor` and `chain`.
void add_anatomy(const Report& report, Json& json);

}  // namespace tidemark::analyzer
