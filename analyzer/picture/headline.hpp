/// The sentences of a picture.
#pragma once

#include "analyzer/picture/subject.hpp"

#include <span>
#include <string>

namespace tidemark::picture {

/// `Peak 1.0 GiB = 2.00 × W, in phase deserialize`, of two subjects
/// `Peak 1.0 GiB → 512.1 MiB (−50 %), 2.00 → 1.00 × W`.
std::string headline(std::span<const Subject> subjects);

}  // namespace tidemark::picture
