# Runs the packages' tests with the installed tree, moved, in the place of packages.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
file(COPY ${PREFIX} DESTINATION ${FOLDER})
set(moved ${FOLDER}/prefix)
set(ENV{PATH} "${moved}/bin:$ENV{PATH}")
set(ENV{PKG_CONFIG_PATH} "${moved}/share/pkgconfig")
foreach(test IN ITEMS record build)
  file(MAKE_DIRECTORY ${FOLDER}/${test})
  set(ENV{AUTOPKGTEST_TMP} ${FOLDER}/${test})
  execute_process(COMMAND sh ${SOURCE}/packaging/debian/tests/${test}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(SEND_ERROR "packaging/debian/tests/${test} ended with ${status}:\n${output}")
  endif()
endforeach()

# Not by what is in the build's folder: the object that programs got is the installed one.
execute_process(COMMAND tidemark record --quiet -o ${FOLDER}/maps.tmk -- cat /proc/self/maps
  OUTPUT_VARIABLE maps COMMAND_ERROR_IS_FATAL ANY)
string(FIND "${maps}" "${moved}/${LIBDIR}/tidemark/libtidemark_preload.so" at)
if(at EQUAL -1)
  message(SEND_ERROR "the installed object is not in the recorded program:\n${maps}")
endif()

execute_process(COMMAND pkg-config --modversion tidemark OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
string(STRIP "${version}" version)
if(NOT version STREQUAL VERSION)
  message(SEND_ERROR "tidemark.pc is of version '${version}', not ${VERSION}")
endif()

# LD_PRELOAD is a list that a space ends.
file(COPY ${PREFIX} DESTINATION "${FOLDER}/a place")
set(in_a_place "${FOLDER}/a place/prefix")
execute_process(COMMAND "${in_a_place}/bin/tidemark" record -o ${FOLDER}/place.tmk -- true
  RESULT_VARIABLE status ERROR_VARIABLE error)
string(FIND "${error}" "libtidemark_preload.so' has a space or a colon in its name" at)
if(NOT status EQUAL 2 OR at EQUAL -1 OR EXISTS ${FOLDER}/place.tmk)
  message(SEND_ERROR "a command whose object cannot be named in LD_PRELOAD ended with ${status}:\n${error}")
endif()
file(CREATE_LINK "${in_a_place}/${LIBDIR}/tidemark" ${FOLDER}/objects SYMBOLIC)
set(ENV{TIDEMARK_PRELOAD} ${FOLDER}/objects/libtidemark_preload.so)
execute_process(COMMAND "${in_a_place}/bin/tidemark" record --quiet -o ${FOLDER}/place.tmk -- true
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${in_a_place}/bin/tidemark" check ${FOLDER}/place.tmk --max-peak 64MiB
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
