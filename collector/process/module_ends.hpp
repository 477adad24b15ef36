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

/// @param first_page the bytes of the file's first page in memory; fewer do, if the program headers
/// are among them.
/// @param address of that page.
/// @return the end of its last segment, in whole pages; empty if this is no 64-bit ELF file.
std::optional<std::uint64_t> module_end_of(std::span<const std::byte> first_page,
                                           std::uint64_t address);

/// Adds the ends of the files in `areas` that have zeroed data (.bss) behind them and whose end is
/// in `ends` neither. Reads a page of each; where that is denied, nothing is added.
void learn_module_ends(pid_t pid,
                       const std::vector<MemoryArea>& areas,
                       std::set<std::uint64_t>& ends);

}  // namespace tidemark
