# What most units include is compiled once.
#
#   tidemark_precompiled(NAME HEADERS header... [LIBS target...] [OPTIONS option...])
#   tidemark_precompile(NAME FOLDERS folder... [OPTIONS option...])
#
# The first makes NAME, whose header others may reuse. The second gives one, of std_headers, to every library and
# command of these folders, which are compiled with the options.
#
# The headers are the system's alone, so that no change of ours makes them anew, and no more than nearly all
# need: what a header leaves to be instantiated is compiled again in every unit. With CLI11 among them each unit
# took four seconds more, with nlohmann's json half a second. A unit still includes all it uses: ./dev lint
# compiles without this.
find_package(fmt 9 REQUIRED)
set(std_headers
  <algorithm> <array> <atomic> <bit> <charconv> <cstddef> <cstdint> <cstring> <filesystem> <fstream> <functional>
  <limits> <map> <memory> <optional> <set> <span> <sstream> <string> <string_view> <unordered_map> <utility>
  <variant> <vector>)

# GCC's precompiled header is of no use to ccache before it is told to trust it.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES "SLOPPINESS")
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CMAKE_CXX_COMPILER_LAUNCHER})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

function(tidemark_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBS;OPTIONS")
  set(unit ${PROJECT_BINARY_DIR}/${name}.cpp)
  if(NOT EXISTS ${unit})
    file(WRITE ${unit} "// Only for its precompiled header.\n")
  endif()
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${unit})
  # Of its own headers, precompiled, g++ believes that a sum of std::string writes out of bounds, and from version
  # 13 on that an empty std::optional is read.
  target_compile_options(${name} PRIVATE ${arg_OPTIONS}
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>"
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-maybe-uninitialized>)
  target_link_libraries(${name} PRIVATE ${arg_LIBS} tidemark_options)
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# A target that is compiled with a header's options, but for definitions that the header does not look at.
function(tidemark_reuse_precompiled target name)
  get_target_property(options ${name} COMPILE_OPTIONS)
  if(options)
    target_compile_options(${target} PRIVATE ${options})
  endif()
  # A command's code is for a command alone (-fPIE), and would need a header of its own.
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

# Sets `out` to the targets of a folder and all below it.
function(targets_below folder out)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    targets_below(${below} more)
    list(APPEND found ${more})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

function(tidemark_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;OPTIONS")
  tidemark_precompiled(tidemark_precompiled_${name}
    HEADERS ${std_headers} <fmt/format.h> LIBS fmt::fmt OPTIONS ${arg_OPTIONS})
  foreach(folder IN LISTS arg_FOLDERS)
    targets_below(${PROJECT_SOURCE_DIR}/${folder} targets)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_target_property(libraries ${target} LINK_LIBRARIES)
      if(type MATCHES "EXECUTABLE|STATIC_LIBRARY" AND "tidemark_options" IN_LIST libraries)
        target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
        tidemark_reuse_precompiled(${target} tidemark_precompiled_${name})
      endif()
    endforeach()
  endforeach()
endfunction()
