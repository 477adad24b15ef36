#pragma once

#include <filesystem>

/// What the kernel keeps of a file decides how fast it loads. Both leave a file that cannot be opened
/// to the loader, which says it better.
namespace tidemark::loaders {

/// Reads the file once: else the first of two variants pays for the disk, and looks slower for it.
void warm_page_cache(const std::filesystem::path& file);

/// Writes the file back and asks the kernel to forget it (posix_fadvise). Pages that another process
/// has mapped stay.
void drop_page_cache(const std::filesystem::path& file);

}  // namespace tidemark::loaders
