/// Finds the functions that our hooks stand in front of without asking the loader.
///
/// dlsym takes the loader's lock, and allocates where it finds nothing. A program with an allocator
/// of its own may come to a hook for the first time from within it, under its lock, before any
/// constructor of ours has run. So the symbol tables are read in place: DT_GNU_HASH as the GNU
/// linkers write it (https://flapenguin.me/elf-dt-gnu-hash), names and versions as in the System V
/// ABI's chapter 5 and the LSB's chapter on symbol versioning.
#pragma once

#include <cstdint>

namespace tidemark::preload {

/// What dlsym(RTLD_NEXT, name) would find from here: in the objects that the program was started
/// with, those behind this one, in order, the default version.
///
/// Only while the process has one thread: the list of objects is not locked. The object that has
/// the function must be relocated if it is one that is chosen at run time (an IFUNC).
/// @return nullptr where there is none.
void* find_next_function(const char* name);

/// What the loader would find for a call from one object, if ours were not there: in the object
/// itself, in those that came after it, or in all others. A plugin's own copy of a library came
/// with it, and so is found before another plugin's.
///
/// At any time: the list of objects is read while others may come and go, as in
/// find_next_function, which is as good as the loader's own debuggers have it.
/// @param dynamic the dynamic section of the calling object; null: not known.
/// @return nullptr where there is none.
void* find_function_for(const void* dynamic, const char* name);

/// True when an object in front of this one, the program itself above all, has a function of that
/// name: then calls do not come to ours.
bool is_function_hidden(const char* name);

/// Where one loaded object has a function or variable of that name, of whatever version.
/// @param dynamic its dynamic section. @param bias its load bias.
/// @return nullptr where it has none, or where `dynamic` is null.
void* find_in_object(const void* dynamic, std::uint64_t bias, const char* name);

}  // namespace tidemark::preload
