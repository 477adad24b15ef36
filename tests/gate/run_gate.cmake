# What the scripts beside this one share.

# What a CI system may have set would collect the failures that are wanted here.
unset(ENV{GITHUB_STEP_SUMMARY})
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")

# Runs the script of tidemark_add_peak_test. Sets `status`, and `output`: all that it said.
#   run_gate(name CHECK options... COMMAND words...)
function(run_gate name)
  cmake_parse_arguments(arg "" "" "CHECK;COMMAND" ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} -D TIDEMARK=${TIDEMARK} -D OUTPUT=${FOLDER}/${name}
      -P ${SOURCE}/analyzer/cmake/tidemark_run_peak_test.cmake -- ${arg_CHECK} -- ${arg_COMMAND}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(status "${status}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Fails the test unless `text` has `wanted` in it.
function(expect text wanted)
  string(FIND "${text}" "${wanted}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "'${wanted}' is not in:\n${text}")
  endif()
endfunction()

# Fails the test unless the last gate failed, for the reason `why`.
function(expect_failure why)
  if(status EQUAL 0)
    message(SEND_ERROR "the gate passed; it should have said '${why}':\n${output}")
  endif()
  expect("${output}" "${why}")
endfunction()
