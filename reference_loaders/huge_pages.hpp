#pragma once

#include <cstddef>

namespace tidemark::loaders {

/// Asks for huge pages behind a large block that is about to be filled; no promise, no error.
///
/// A stock Debian kernel gives them to every large block. Many others wait to be asked, and there
/// half of a load's time would be 4 KiB page faults, which is a property of the kernel's settings
/// and not of the loader. Neither the bytes requested nor the bytes resident change.
void advise_huge_pages(void* block, std::size_t bytes);

}  // namespace tidemark::loaders
