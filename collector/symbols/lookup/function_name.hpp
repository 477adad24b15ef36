/// What a function in the debug information is called.
#pragma once

#include <elfutils/libdw.h>

#include <string>

namespace tidemark {

/// @param die a DW_TAG_subprogram or DW_TAG_inlined_subroutine.
/// @param symbol the ELF symbol at its code, or null. Only a C++ one is used, and only when the
/// debug information has no linkage name: g++ leaves it out for whatever is local to a file.
/// @return demangled, or put together from the enclosing scopes ("ns::Type::name"); empty if
/// there is no name at all.
std::string function_name(Dwarf_Die die, const char* symbol);

}  // namespace tidemark
