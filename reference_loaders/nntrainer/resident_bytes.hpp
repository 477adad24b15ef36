#pragma once

#include <cstdint>

namespace tidemark::loaders::nntrainer {

/// Anonymous memory of this process that has pages behind it, as the kernel says (RssAnon). 0
/// where it does not say.
std::uint64_t resident_bytes();

}  // namespace tidemark::loaders::nntrainer
