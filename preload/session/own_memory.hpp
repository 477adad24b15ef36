/// Where tidemark's own memory lies in the host. munmap skips these ranges, so that a program which
/// unmaps whatever /proc/self/maps lists survives under tidemark as well.
#pragma once

#include <cstdint>

namespace tidemark::preload {

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool is_empty() const { return begin >= end; }
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

/// Notes the one range that is mapped outside this folder (the code table). It never changes, and
/// forked children have it at the same place.
void note_own(const AddressRange& range);

/// Our first range that overlaps `range`, clipped to it; empty if none does. With many threads only
/// those that started last are considered.
AddressRange find_own(const AddressRange& range);

}  // namespace tidemark::preload
