/// Where programs and libraries end in a process's memory, according to their program headers
/// there.
#pragma once

#include "collector/process/memory_areas.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <sys/types.h>

namespace tidemark {

/// Less than that is not worth a look at each library.
constexpr std::uint64_t kMinZeroedBytes = std::uint64_t{1} << 20U;

/// @param first_page the bytes of the file's first page in memory; fewer do, if the program headers
/// are among them.
/// @param address of that page.
/// @return the end of its last segment, in whole pages; empty if this is no 64-bit ELF file.
std::optional<std::uint64_t> module_end_of(std::span<const std::byte> first_page,
                                           std::uint64_t address);

/// Adds the ends of the files in `areas` that may have kMinZeroedBytes of zeroed data (.bss) behind
/// them or more, and whose end is not in `ends`. Reads a page of each; where that is denied,
/// nothing is added.
void learn_module_ends(pid_t pid,
                       const std::vector<MemoryArea>& areas,
                       std::set<std::uint64_t>& ends);

}  // namespace tidemark
