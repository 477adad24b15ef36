# Installs this build, and compares what is there with tree.txt.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(GLOB_RECURSE found RELATIVE ${PREFIX} ${PREFIX}/*)
file(READ ${CMAKE_CURRENT_LIST_DIR}/tree.txt wanted)
string(REPLACE "@LIBDIR@" "${LIBDIR}" wanted "${wanted}")
string(STRIP "${wanted}" wanted)
string(REPLACE "\n" ";" wanted "${wanted}")

set(missing ${wanted})
list(REMOVE_ITEM missing ${found})
set(unknown ${found})
list(REMOVE_ITEM unknown ${wanted})
if(missing OR unknown)
  message(FATAL_ERROR "not installed: ${missing}\nnot in tree.txt: ${unknown}")
endif()
