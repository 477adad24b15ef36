/// gzip, as files of it are.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::exports {

/// One gzip member without a name or a time, so that equal bytes give equal files.
std::string gzipped(std::string_view bytes);

}  // namespace tidemark::exports
