/// The sentences of a picture.
#pragma once

#include "analyzer/picture/subject.hpp"

#include <span>
#include <string>

namespace tidemark::picture {

/// `Peak 1.0 GiB = 2.00 × W, in phase deserialize`, of two subjects
/// `Peak 1.0 GiB → 512.1 MiB (−50 %), 2.00 → 1.00 × W`.
std::string headline(std::span<const Subject> subjects);

/// `RSS (sampled) up to 829.0 MiB = 5.17 × W`, of two subjects `RSS (sampled) up to 1.2 GiB → 829.0
/// MiB`; empty if it is at most 1.3 times the peak in both, or if one has no sample.
std::string resident_text(std::span<const Subject> subjects);

}  // namespace tidemark::picture
