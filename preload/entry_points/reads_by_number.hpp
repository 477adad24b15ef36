/// File input calls made by number, through `syscall`.
#pragma once

#include "preload/unwind/rules/frame_rule.hpp"

#include <sys/syscall.h>

namespace tidemark::preload {

/// The numbers that `read_by_number` takes.
constexpr long kReadNumbers[] = {
    SYS_read,        SYS_open,           SYS_close,          SYS_pread64,
    SYS_readv,       SYS_creat,          SYS_sendfile,       SYS_openat,
    SYS_openat2,     SYS_splice,         SYS_preadv,         SYS_preadv2,
    SYS_dup,         SYS_dup2,           SYS_dup3,           SYS_copy_file_range,
    SYS_io_submit,   SYS_io_uring_setup, SYS_io_uring_enter, SYS_fcntl,
    SYS_close_range, SYS_memfd_create};

/// Makes the call, and records it like the libc function of the same name.
long read_by_number(long number, const long (&arguments)[6], const unwind::FrameState& caller);

}  // namespace tidemark::preload
