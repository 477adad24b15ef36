/// Names of functions as people write them.
#pragma once

#include <string>

namespace tidemark {

/// C++ names, and Rust's old and new ones without their hashes. Marks of compilers and linkers are
/// cut off first (`.cold`, `.part.0`, `@@GLIBC_2.2.5`): the source has one function. Other names
/// stay.
std::string demangle(const std::string& symbol);

}  // namespace tidemark
