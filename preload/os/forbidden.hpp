/// Makes uncompilable the names that may not be used in a host: they allocate, lock, print, change
/// errno, or end the process. Included last, since later headers could not use these names either.
///
/// Not for entry_points/ and real.cpp, which define or look up some of these names. They are held
/// to the list of imports in tests/preload/allowed_imports.txt.
#pragma once

// Memory. Nothing is allocated in a host; what must be kept lies in shared or mapped pages.
#pragma GCC poison malloc calloc realloc reallocarray free memalign posix_memalign aligned_alloc \
    valloc
#pragma GCC poison pvalloc strdup strndup asprintf vasprintf getline
// Text and files. Use preload/os/sys.hpp.
#pragma GCC poison printf fprintf dprintf sprintf snprintf vprintf vfprintf vdprintf vsprintf \
    vsnprintf
#pragma GCC poison puts fputs fputc putchar perror fopen fdopen freopen fclose fread fwrite fflush
// System calls of libc's: errno, cancellation, and our own hooks. Use preload/os/sys.hpp.
#pragma GCC poison syscall mmap munmap mremap mprotect madvise sbrk openat pread readv readlink \
    fstat
#pragma GCC poison sleep usleep nanosleep fork vfork system popen execve posix_spawn
// The host's state.
#pragma GCC poison getenv secure_getenv setenv putenv unsetenv setlocale strerror strtok localtime
#pragma GCC poison sigaction sigprocmask pthread_sigmask raise
#pragma GCC poison pthread_create pthread_join pthread_mutex_lock pthread_mutex_unlock pthread_once
#pragma GCC poison abort exit _exit quick_exit atexit __cxa_atexit
