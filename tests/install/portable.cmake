# packaging/portable on trees with a program of one line in the place of the command.
cmake_minimum_required(VERSION 3.25)
set(ENV{LC_ALL} C.UTF-8)

# Sets `status` and `output` of what portable makes of a program with this code.
function(make_portable tree code)
  file(REMOVE_RECURSE ${tree})
  file(MAKE_DIRECTORY ${tree}/bin ${tree}/lib/tidemark)
  file(WRITE ${tree}/program.c "${code}")
  execute_process(COMMAND gcc -o ${tree}/bin/tidemark ${tree}/program.c -lz COMMAND_ERROR_IS_FATAL ANY)
  file(COPY_FILE ${tree}/bin/tidemark ${tree}/lib/tidemark/object.so)
  execute_process(COMMAND packaging/portable ${tree} WORKING_DIRECTORY ${SOURCE}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(status "${status}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

make_portable(${FOLDER}/old "#include <zlib.h>\nint main(void) { return zlibVersion() == 0; }\n")
if(NOT status EQUAL 0)
  message(SEND_ERROR "a program for every glibc: ${output}")
endif()
foreach(file IN ITEMS lib/tidemark/libz.so.1 share/doc/tidemark/licenses/zlib1g share/doc/tidemark/LICENSE)
  if(NOT EXISTS ${FOLDER}/old/${file})
    message(SEND_ERROR "no ${file} beside a program that needs libz")
  endif()
endforeach()
if(EXISTS ${FOLDER}/old/lib/tidemark/libc.so.6)
  message(SEND_ERROR "libc.so.6 lies beside a program; it is the system's")
endif()

# What a tool of the script cannot read is no file that needs nothing.
file(WRITE ${FOLDER}/old/lib/tidemark/object.so "no object\n")
execute_process(COMMAND packaging/portable ${FOLDER}/old WORKING_DIRECTORY ${SOURCE}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "objdump cannot read")
  message(SEND_ERROR "an object that is none ended with ${status}: ${output}")
endif()

make_portable(${FOLDER}/new "#include <stdlib.h>\nint main(void) { return arc4random() == 0; }\n")
if(status EQUAL 0 OR NOT output MATCHES "needs glibc 2\\.36")
  message(SEND_ERROR "a program that needs glibc 2.36 ended with ${status}: ${output}")
endif()
