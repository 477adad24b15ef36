/// Where the debug information of a stripped file lies on this machine.
#pragma once

#include <elfutils/libdwfl.h>

#include <string>
#include <vector>

namespace tidemark {

/// Every path that find_debug_file may open for the file `path`, in its order. Whether they are
/// there, and belong to it, is another question.
/// @param build_id lower-case hex; empty for a file without.
/// @param debug_link what .gnu_debuglink says; empty for a file without.
std::vector<std::string> debug_file_places(const std::string& path,
                                           const std::string& build_id,
                                           const std::string& debug_link);

/// The find_debuginfo callback of libdwfl: by build id under /usr/lib/debug, then by .gnu_debuglink
/// beside the file, in its .debug folder and under /usr/lib/debug.
///
/// libdwfl's own callback would go on to ask a debuginfod server when DEBUGINFOD_URLS is set, as
/// Debian does for login shells: minutes of network traffic, and news of what is being profiled.
int find_debug_file(Dwfl_Module* module,
                    void** user_data,
                    const char* name,
                    Dwarf_Addr base,
                    const char* file,
                    const char* debug_link,
                    GElf_Word link_crc,
                    char** found_path);

}  // namespace tidemark
