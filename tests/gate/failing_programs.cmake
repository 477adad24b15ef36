# A failure of the program is no regression, and no pass either.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/run_gate.cmake)

# 2 is what tidemark itself ends with when it cannot record.
foreach(ending IN ITEMS 1 2 3)
  run_gate(status_${ending} CHECK --max-peak 1GiB COMMAND sh -c "exit ${ending}")
  expect_failure("the program ended with status ${ending}")
endforeach()
run_gate(killed CHECK --max-peak 1GiB COMMAND sh -c "kill -KILL $$")
expect_failure("the program ended with status 137")
run_gate(absent CHECK --max-peak 1GiB COMMAND /no/such/program)
expect_failure("not recorded: tidemark record ended with status 2")
run_gate(mistake CHECK --max-peak much COMMAND true)
expect_failure("not checked: tidemark check ended with status 2")

# Words arrive as they were given.
run_gate(words CHECK --max-peak 1GiB COMMAND sh -c "test \"$1\" = 'a b' && test \"$2\" = --" - "a b" --)
if(NOT status EQUAL 0)
  message(SEND_ERROR "words were changed on their way:\n${output}")
endif()
