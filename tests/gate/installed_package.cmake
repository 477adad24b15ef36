# Installs this build and lets a project of somebody else's find and use it.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/run_gate.cmake)

execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/first
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
# The tree may be moved as a whole.
file(RENAME ${FOLDER}/first ${FOLDER}/prefix)
if(NOT EXISTS ${FOLDER}/prefix/share/tidemark/python/tidemark_marks.py)
  message(SEND_ERROR "no tidemark/python/tidemark_marks.py in share")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/tests/gate/installed -B ${FOLDER}/build
    -G Ninja -D CMAKE_PREFIX_PATH=${FOLDER}/prefix
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --output-on-failure
  WORKING_DIRECTORY ${FOLDER}/build
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(SEND_ERROR "the project's tests:\n${output}")
endif()
expect("${output}" "100% tests passed, 0 tests failed out of 4")
foreach(name IN ITEMS sort_is_small sort_is_large a_script_has_its_words)
  if(NOT EXISTS ${FOLDER}/build/tidemark/${name}.xml)
    message(SEND_ERROR "no JUnit file of ${name}")
  endif()
endforeach()
