/// Looks into the file of a program that is about to be started.
#pragma once

#include <fcntl.h>

namespace tidemark::preload {

/// A program as the exec functions are given it.
struct ProgramName {
  const char* path = nullptr;  ///< May be null, as a program may pass it.
  int directory = AT_FDCWD;    ///< As execveat's; for an empty path the program's own descriptor.
  bool is_searched = false;    ///< Along PATH where it has no slash, as by execvp.
};

/// True where the loader obeys LD_PRELOAD but cannot load an object made for glibc and would end
/// the program (musl, Bionic), where a sanitizer's library would end it, as it is not the first one
/// then, and where the loader is another machine's and would complain (32-bit x86). Follows `#!` lines. False where the file cannot be read or is none.
///
/// Allocates nothing; needs 3 KiB of stack.
bool breaks_with_preload(const ProgramName& program);

/// True where the loader would not find a file that it is to preload, and say so on the program's
/// standard error: after chroot, in a container, or where the user may not read it.
bool is_out_of_reach(const char* path);

}  // namespace tidemark::preload
