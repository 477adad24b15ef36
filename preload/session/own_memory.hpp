/// Where tidemark's own memory lies in the host. A program that unmaps whatever /proc/self/maps
/// lists, and lives on, does so under tidemark too: its munmap passes over these ranges.
#pragma once

#include <cstdint>

namespace tidemark::preload {

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool is_empty() const { return begin >= end; }
};

/// There is one range of ours that another room maps: always the same, and of this process and of
/// all that it forks.
void note_own(const AddressRange& range);

/// The first range of ours that overlaps `range`, cut to it; empty where none does. Of a crowd of
/// threads only the last ones to start are looked at.
AddressRange find_own(const AddressRange& range);

}  // namespace tidemark::preload
