#pragma once

#include <filesystem>
#include <vector>

/// What the kernel keeps of a file decides how fast it loads. Both leave a file that cannot be
/// opened to the loader, which says it better.
namespace tidemark::loaders {

/// Reads the file once: else the first of two variants pays for the disk, and looks slower for it.
void warm_page_cache(const std::filesystem::path& file);

/// Writes the file back and asks the kernel to forget it (posix_fadvise). Pages that another
/// process has mapped stay.
void drop_page_cache(const std::filesystem::path& file);

/// Waits until the file is on the disk: a file that was just made is written back for seconds, and
/// slows down whoever loads it meanwhile.
void write_back(const std::filesystem::path& file);

/// Seconds that reading warm files takes, 4 MiB at a time into memory of their size that nobody has
/// touched, as `dd bs=4M` into /dev/shm does: what a loader that makes no copies is held against.
/// The better of two goes, as anything else on the machine only ever adds to it.
double seconds_to_read(const std::vector<std::filesystem::path>& files);

}  // namespace tidemark::loaders
