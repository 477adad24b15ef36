#pragma once

#include <functional>

namespace tidemark::loaders::test {

/// Runs `check` in a process of its own that has room for small things only, so that an allocation
/// for a made-up length fails there. @return what `check` returned; false if it threw or died.
bool holds_in_little_memory(const std::function<bool()>& check);

}  // namespace tidemark::loaders::test
