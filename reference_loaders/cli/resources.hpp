#pragma once

#include <cstdint>
#include <filesystem>

namespace tidemark::loaders {

/// Makes `directory` and those above it. @throws UsageError when it cannot.
void make_directory(const std::filesystem::path& directory);

/// @throws UsageError when the file system of `directory` has less than `bytes` available.
void require_free_disk(const std::filesystem::path& directory, std::uint64_t bytes);

/// @throws UsageError when the machine, or the control group that this process runs in, has less
/// than `bytes` to give without swapping. The page cache counts as free.
void require_free_memory(std::uint64_t bytes);

/// What a control group may use beside what it uses, and none of those above it have less to give.
/// The page cache counts as free.
/// @param group relative to `root`, where the groups' file system is.
std::uint64_t group_available_bytes(const std::filesystem::path& root,
                                    const std::filesystem::path& group);

}  // namespace tidemark::loaders
