/// The default name for a picture of traces.
#pragma once

#include <string>
#include <vector>

namespace tidemark::gui {

/// `load.svg` for `runs/load.tmk`; `naive-stream.svg` for two traces. At most 80 bytes, without
/// characters that are special to a shell or a file system.
std::string picture_name(const std::vector<std::string>& traces);

}  // namespace tidemark::gui
