#pragma once

#include <cstdint>

namespace tidemark::loaders::nntrainer {

/// Resident anonymous memory of this process, from the kernel (RssAnon). 0 if it does not say.
std::uint64_t resident_bytes();

}  // namespace tidemark::loaders::nntrainer
