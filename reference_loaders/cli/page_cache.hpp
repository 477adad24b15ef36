#pragma once

#include <filesystem>
#include <vector>

/// How much of a file is in the page cache decides how fast it loads. The first two functions
/// ignore a file that cannot be opened: the loader reports that better.
namespace tidemark::loaders {

/// Reads the file once: otherwise only the first of two variants would pay for the disk, and look
/// slower.
void warm_page_cache(const std::filesystem::path& file);

/// Writes the file back and asks the kernel to forget it (posix_fadvise). Pages that another
/// process has mapped stay.
void drop_page_cache(const std::filesystem::path& file);

/// Waits until the file is on the disk: writing back a new file takes seconds, and would slow down
/// a load meanwhile.
void write_back(const std::filesystem::path& file);

/// Seconds that `dd bs=4M` of warm files into a fresh file in memory takes (a memfd, like one in
/// /dev/shm): the reference for a loader that makes no copies. The better of two runs, as other
/// load on the machine only adds to it.
double seconds_to_read(const std::vector<std::filesystem::path>& files);

}  // namespace tidemark::loaders
