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

/// Seconds that `dd bs=4M` of warm files into a file in memory takes (a memfd, as one in /dev/shm),
/// which nobody has touched: what a loader that makes no copies is held against. The better of two
/// goes, as anything else on the machine only ever adds to it.
double seconds_to_read(const std::vector<std::filesystem::path>& files);

}  // namespace tidemark::loaders
