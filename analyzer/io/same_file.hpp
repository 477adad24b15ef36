/// One file under two names.
#pragma once

#include <string>

namespace tidemark::analyzer {

/// Whether both names lead to one regular file, by links too. Devices and pipes are read and
/// written as they come: they have nothing to lose. False for a name that leads nowhere.
bool is_same_file(const std::string& one, const std::string& other);

}  // namespace tidemark::analyzer
