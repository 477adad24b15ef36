/// Functions that glibc 2.34 moved into libc.so.6, by the version that they have in older ones, too:
/// so the object can be loaded with every glibc since 2.17. With those before 2.34 they are in libdl
/// and libpthread, and null in a program that has not loaded these.
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#pragma weak dlsym
#pragma weak pthread_getspecific

asm(".symver dlsym, dlsym@GLIBC_2.2.5");
asm(".symver pthread_getspecific, pthread_getspecific@GLIBC_2.2.5");
