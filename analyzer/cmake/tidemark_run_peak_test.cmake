# What a test of tidemark_add_peak_test runs: records a command, then checks the trace.
#
#   cmake -D TIDEMARK=tidemark -D OUTPUT=folder/name [-D MODEL=file|size] -P tidemark_run_peak_test.cmake
#     -- check options... -- program args...
cmake_minimum_required(VERSION 3.16)

# Words may hold semicolons, which would split them.
set(checks "")
set(command "")
set(separators 0)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if("${CMAKE_ARGV${i}}" STREQUAL "--" AND separators LESS 2)
    math(EXPR separators "${separators} + 1")
    continue()
  endif()
  string(REPLACE ";" "\\;" word "${CMAKE_ARGV${i}}")
  if(separators EQUAL 1)
    list(APPEND checks "${word}")
  elseif(separators EQUAL 2)
    list(APPEND command "${word}")
  endif()
endforeach()
set(model "")
if(NOT "${MODEL}" STREQUAL "")
  set(model --model "${MODEL}")
endif()

# A trace of an earlier run must not be taken for this one's.
set(trace "${OUTPUT}.tmk")
file(REMOVE "${trace}" "${OUTPUT}.xml" "${OUTPUT}.report.html" "${OUTPUT}.graph.svg")
get_filename_component(folder "${OUTPUT}" DIRECTORY)
file(MAKE_DIRECTORY "${folder}")

execute_process(COMMAND "${TIDEMARK}" record --quiet -o "${trace}" ${model} -- ${command}
  RESULT_VARIABLE status)
# `record` ends with the program's own status, and with 2 when it could not record: the trace tells which.
if(NOT EXISTS "${trace}")
  message(FATAL_ERROR "not recorded: tidemark record ended with status ${status}")
endif()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the program ended with status ${status}; its trace is ${trace}")
endif()

execute_process(COMMAND "${TIDEMARK}" check "${trace}" ${checks} ${model} --junit "${OUTPUT}.xml"
  RESULT_VARIABLE status)
if(status EQUAL 1)
  message(FATAL_ERROR "regression: the peak is too high; the trace is ${trace}")
elseif(status EQUAL 3)
  message(FATAL_ERROR "inconclusive: the trace lost too much to pass; the trace is ${trace}")
elseif(NOT status EQUAL 0)
  message(FATAL_ERROR "not checked: tidemark check ended with status ${status}")
endif()
