/// What a picture of traces is called unless somebody says so.
#pragma once

#include <string>
#include <vector>

namespace tidemark::gui {

/// `load.svg` of `runs/load.tmk`; of two traces `naive-stream.svg`. At most 80 bytes; without what
/// a shell or a file system takes for something else.
std::string picture_name(const std::vector<std::string>& traces);

}  // namespace tidemark::gui
