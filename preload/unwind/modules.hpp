/// Which loaded object an address belongs to.
#pragma once

#include "preload/unwind/rules/cfi.hpp"

#include <cstdint>

namespace tidemark::unwind {

struct Module {
  std::uint64_t begin = 0;  ///< Bounds of its mapping; 0, 0 for none.
  std::uint64_t end = 0;
  std::uint64_t bias = 0;  ///< Load bias: address minus the ELF file's own address.
  const char* path =
      "";  ///< As the loader knows it; "" for the program itself. Lives as long as the module.
  UnwindTables tables;
  const void* dynamic = nullptr;  ///< Its dynamic section; nullptr: not known.
  bool is_loader = false;         ///< ld.so itself.
};

/// Looks up _dl_find_object for `find_module`. Until it has run, and with a glibc older than 2.35,
/// that uses dl_iterate_phdr, which takes the loader's lock.
void look_up_loader();

/// Safe in a signal handler and inside malloc where the C library has _dl_find_object (glibc 2.35
/// on).
/// @return false for code outside every loaded object.
bool find_module(std::uint64_t address, Module& out);

}  // namespace tidemark::unwind
