/// Finds the functions that our hooks stand in front of without asking the loader.
///
/// dlsym takes the loader's lock, and allocates when it finds nothing. A program's own allocator
/// may enter our first hook from inside itself, holding its lock, before any of our constructors
/// has run. So the symbol tables are read in place: DT_GNU_HASH as the GNU linkers write it
/// (https://flapenguin.me/elf-dt-gnu-hash), names and versions as in the System V ABI's chapter 5
/// and the LSB's chapter on symbol versioning.
#pragma once

#include <cstdint>
#include <span>

namespace tidemark::preload {

/// What dlsym(RTLD_NEXT, name) would find from here: the default version, in the first object after
/// this one, among those that the program was started with.
///
/// Only while the process has one thread, since the list of objects is not locked. If the function
/// is an IFUNC, its object must have been relocated.
/// @return nullptr where there is none.
void* find_next_function(const char* name);

/// True when an object before this one, usually the program itself, defines a function of that
/// name: then calls do not reach our hook.
bool is_function_hidden(const char* name);

/// Address of a function or variable of that name, in any version, in one loaded object.
/// @param dynamic its dynamic section. @param bias its load bias.
/// @return nullptr where it has none, or where `dynamic` is null.
void* find_in_object(const void* dynamic, std::uint64_t bias, const char* name);

/// Hides functions of this object from the loader: later look-ups of these names find the next
/// definition, or none. Names that an object references weakly stay: it may have tested such a
/// reference already, and its later call must still resolve. If the kernel refuses to make the
/// symbol table writable, all stay.
///
/// Only while the process has one thread.
/// @param names Overwritten.
void hide_own_functions(std::span<const char*> names);

}  // namespace tidemark::preload
