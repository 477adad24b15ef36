/// Finds the functions that our hooks stand in front of without asking the loader.
///
/// dlsym takes the loader's lock, and allocates where it finds nothing. A program with an allocator
/// of its own may come to a hook for the first time from within it, under its lock, before any
/// constructor of ours has run. So the symbol tables are read in place: DT_GNU_HASH as the GNU
/// linkers write it (https://flapenguin.me/elf-dt-gnu-hash), names and versions as in the System V
/// ABI's chapter 5 and the LSB's chapter on symbol versioning.
#pragma once

#include <cstdint>
#include <span>

namespace tidemark::preload {

/// What dlsym(RTLD_NEXT, name) would find from here: in the objects that the program was started
/// with, those behind this one, in order, the default version.
///
/// Only while the process has one thread: the list of objects is not locked. The object that has
/// the function must be relocated if it is one that is chosen at run time (an IFUNC).
/// @return nullptr where there is none.
void* find_next_function(const char* name);

/// True when an object in front of this one, the program itself above all, has a function of that
/// name: then calls do not come to ours.
bool is_function_hidden(const char* name);

/// Where one loaded object has a function or variable of that name, of whatever version.
/// @param dynamic its dynamic section. @param bias its load bias.
/// @return nullptr where it has none, or where `dynamic` is null.
void* find_in_object(const void* dynamic, std::uint64_t bias, const char* name);

/// Takes functions of this object out of the loader's sight: who looks for one of these names from
/// now on finds the next one, or none. But not those that an object asks for by a weak reference:
/// it may have found ours already, and would call what it does not find any more. Where the kernel
/// lets nobody write to the table, all stay.
///
/// Only while the process has one thread.
/// @param names is used up.
void hide_own_functions(std::span<const char*> names);

}  // namespace tidemark::preload
