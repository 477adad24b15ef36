# A CTest test that records a command and fails when its peak memory is too high.
#
#   tidemark_add_peak_test(NAME name COMMAND program [args...]
#     [MAX_PEAK size] [MAX_RATIO ratio] [MAX_LANE lane=size...] [MAX_PHASE name=size...]
#     [BASELINE file [TOLERANCE percent] [SLACK size]] [POLICY file] [MODEL file|size]
#     [WORKING_DIRECTORY folder] [LABELS label...] [TIMEOUT seconds])
#
# At least one of MAX_PEAK, MAX_RATIO, MAX_LANE, MAX_PHASE, BASELINE and POLICY is needed; they mean what
# the options of `tidemark check` mean. A program that is a target of this build is given by its name.
# BASELINE and POLICY are looked for in the current source folder.
#
# The test fails when the command itself fails, with the status it ended with; when it could not be
# recorded; on a regression; and when the trace lost something that could hide one. Trace and JUnit file
# stay in the current build folder, in tidemark/<name>.tmk and tidemark/<name>.xml; of a regression also a page
# and a graph, tidemark/<name>.report.html and tidemark/<name>.graph.svg.
#
# NAME is an ordinary test: set_tests_properties(name PROPERTIES ...) sets what is not offered here.
set(_tidemark_run_peak_test "${CMAKE_CURRENT_LIST_DIR}/tidemark_run_peak_test.cmake")

# Appends `option;value` to the list `out` when the value is set.
macro(_tidemark_add_option out option value)
  if(NOT "${value}" STREQUAL "")
    list(APPEND ${out} "${option}" "${value}")
  endif()
endmacro()

function(tidemark_add_peak_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg ""
    "NAME;MAX_PEAK;MAX_RATIO;BASELINE;TOLERANCE;SLACK;POLICY;MODEL;WORKING_DIRECTORY;TIMEOUT"
    "COMMAND;MAX_LANE;MAX_PHASE;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR
      "tidemark_add_peak_test: cannot read '${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}'")
  endif()
  if(NOT arg_NAME OR NOT arg_COMMAND)
    message(FATAL_ERROR "tidemark_add_peak_test: NAME and COMMAND are needed")
  endif()

  set(checks "")
  _tidemark_add_option(checks --max-peak "${arg_MAX_PEAK}")
  _tidemark_add_option(checks --max-ratio "${arg_MAX_RATIO}")
  foreach(lane IN LISTS arg_MAX_LANE)
    list(APPEND checks --max-lane "${lane}")
  endforeach()
  foreach(phase IN LISTS arg_MAX_PHASE)
    list(APPEND checks --max-phase "${phase}")
  endforeach()
  foreach(file IN ITEMS BASELINE POLICY)
    if(arg_${file})
      cmake_path(ABSOLUTE_PATH arg_${file} BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
      string(TOLOWER "--${file}" option)
      list(APPEND checks ${option} "${arg_${file}}")
    endif()
  endforeach()
  if(NOT checks)
    message(FATAL_ERROR "tidemark_add_peak_test(${arg_NAME}): nothing to check; give MAX_PEAK, "
      "MAX_RATIO, MAX_LANE, MAX_PHASE, BASELINE or POLICY")
  endif()
  _tidemark_add_option(checks --tolerance "${arg_TOLERANCE}")
  _tidemark_add_option(checks --slack "${arg_SLACK}")

  # Only the first word after COMMAND would be replaced by add_test, and that one is cmake's.
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program "$<TARGET_FILE:${program}>")
  endif()
  string(REGEX REPLACE "[^A-Za-z0-9_.-]+" "_" file "${arg_NAME}")
  set(working_directory "")
  if(arg_WORKING_DIRECTORY)
    set(working_directory WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}")
  endif()

  add_test(NAME "${arg_NAME}" ${working_directory} COMMAND ${CMAKE_COMMAND}
    -D "TIDEMARK=$<TARGET_FILE:tidemark::tidemark>"
    -D "OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/tidemark/${file}"
    -D "MODEL=${arg_MODEL}"
    -P "${_tidemark_run_peak_test}"
    -- ${checks} -- ${program} ${arg_COMMAND})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  set_tests_properties("${arg_NAME}" PROPERTIES TIMEOUT "${arg_TIMEOUT}" LABELS "${arg_LABELS}")
endfunction()
