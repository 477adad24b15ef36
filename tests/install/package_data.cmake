# What Debian's metadata repeat of CMakeLists.txt and ./dev.
cmake_minimum_required(VERSION 3.25)
set(debian ${SOURCE}/packaging/debian)

file(STRINGS ${debian}/changelog entry LIMIT_COUNT 1)
if(NOT entry MATCHES "^tidemark \\(([0-9.]+)\\) " OR NOT CMAKE_MATCH_1 STREQUAL VERSION)
  message(SEND_ERROR "the newest entry of debian/changelog is not of ${VERSION}: ${entry}")
endif()

file(READ ${debian}/control control)
string(REGEX MATCH "Build-Depends:([^:]*)\nStandards-Version" needed "${control}")
string(REGEX REPLACE "\\([^)]*\\)|[ \n]" "" needed "${CMAKE_MATCH_1}")
string(REPLACE "," ";" needed "${needed}")
list(REMOVE_ITEM needed debhelper-compat)  # A version of debhelper, which ./dev package installs.
list(LENGTH needed count)
if(count LESS 10)
  message(SEND_ERROR "no list of Build-Depends in debian/control")
endif()
file(READ ${SOURCE}/dev dev)
foreach(package IN LISTS needed)
  if(NOT dev MATCHES "[ \"\n]${package}[ \"\n]")
    message(SEND_ERROR "debian/control needs ${package}, which ./dev does not install")
  endif()
endforeach()
