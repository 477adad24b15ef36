/// Where the debug information of a stripped file lies on this machine.
#pragma once

#include <elfutils/libdwfl.h>

namespace tidemark {

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
