# One function for every test binary.
#
#   tidemark_test(NAME SOURCES file... [LIBS target...] [LABELS label...] [TIMEOUT seconds])
#
#   tidemark_corpus_test(TARGET LIB)    the fuzz target over its corpus, and over changes of it, as an ordinary test
#
# Each test case becomes one ctest test "NAME: <its sentence>". One with SKIP_TEST(why) counts as skipped.
#
# Version 2 of Debian 12 and version 3 of later ones: support/catch.hpp is what a test includes.
find_package(Catch2 REQUIRED)
include(Catch)

# Version 2's main takes longer to compile than most tests: once is enough.
if(NOT TARGET tidemark_test_main)
  add_library(tidemark_test_main STATIC ${CMAKE_CURRENT_LIST_DIR}/main.cpp)
  target_compile_options(tidemark_test_main PRIVATE "$<$<CONFIG:RelWithDebInfo>:-O1;-g1>")
  target_include_directories(tidemark_test_main PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(tidemark_test_main PUBLIC Catch2::Catch2 PRIVATE tidemark_options)
endif()

# Tests are compiled more often than they are run: not optimised, they take half the time to make.
if(NOT TARGET tidemark_precompiled_tests)
  tidemark_precompiled(tidemark_precompiled_tests
    HEADERS ${std_headers} ${CMAKE_CURRENT_LIST_DIR}/catch.hpp
    LIBS Catch2::Catch2
    OPTIONS "$<$<CONFIG:RelWithDebInfo>:-O0;-g1>")
endif()

# What sanitizers can run: tests that call the product, or its command, in processes without the preloaded object.
# `threads` labels those whose code runs in several threads.
add_custom_target(in_process_tests)
add_custom_target(thread_tests)

function(tidemark_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBS;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(TIDEMARK_SANITIZE)
    math(EXPR arg_TIMEOUT "4 * ${arg_TIMEOUT}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE tidemark_test_main ${arg_LIBS} tidemark_options)
  # What is about the code of the host is compiled as a host is.
  if(NOT "preload" IN_LIST arg_LABELS)
    tidemark_reuse_precompiled(${name} tidemark_precompiled_tests)
  endif()
  if(NOT arg_LABELS MATCHES "preload|end_to_end|faults|bench")
    add_dependencies(in_process_tests ${name})
  endif()
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(thread_tests ${name})
  endif()
  # Whole programs first: a long one that comes last keeps one processor waiting.
  set(cost 0)
  if(arg_LABELS MATCHES "end_to_end|faults|bench")
    set(cost 1)
  endif()
  # Catch's script takes a crash for a program without tests.
  add_custom_command(TARGET ${name} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -D TEST=$<TARGET_FILE:${name}>
      -P ${PROJECT_SOURCE_DIR}/tests/support/lists_its_tests.cmake
    VERBATIM)
  # One word: of a list Catch's script keeps the first alone. `ctest -L` looks for a part of it.
  list(JOIN arg_LABELS "+" labels)
  catch_discover_tests(${name}
    TEST_PREFIX "${name}: "
    PROPERTIES TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 4 COST ${cost} LABELS "${labels}")
endfunction()

function(tidemark_corpus_test target lib)
  set(fuzz ${PROJECT_SOURCE_DIR}/tests/fuzz)
  tidemark_test(${target}_corpus_test
    SOURCES ${fuzz}/corpus_test.cpp ${fuzz}/mutation_test.cpp ${fuzz}/${target}_fuzz.cpp
    LIBS ${lib}
    LABELS unit)
  target_compile_definitions(${target}_corpus_test PRIVATE TIDEMARK_CORPUS="${fuzz}/corpus/${target}")
endfunction()
