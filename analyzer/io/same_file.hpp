/// One file under two names.
#pragma once

#include <string>

namespace tidemark::analyzer {

/// Whether both names lead to the same regular file, also through links. False for devices and
/// pipes, which hold nothing that could be overwritten, and for a name that does not exist.
bool is_same_file(const std::string& one, const std::string& other);

}  // namespace tidemark::analyzer
