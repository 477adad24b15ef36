# Fails where a test program cannot say which tests it has: none of them would ever run, and nothing would say so.
#
#   cmake -D TEST=<program> -P lists_its_tests.cmake
cmake_minimum_required(VERSION 3.25)

# The exit status is the number of tests; of a program that crashed CMake says the signal's name.
execute_process(COMMAND ${TEST} --list-test-names-only RESULT_VARIABLE result OUTPUT_VARIABLE names)
if(NOT result MATCHES "^[0-9]+$" OR names STREQUAL "")
  message(FATAL_ERROR "${TEST} does not list its tests: ${result}")
endif()
