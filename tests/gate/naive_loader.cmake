# The gate that the streamed loader passes must fail when the naive one is put in its place.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/run_gate.cmake)

run_gate(naive CHECK --max-ratio 1.05 COMMAND ${LOADERS} run tvm blob ${MODEL_FILE})
expect_failure("regression: the peak is too high")
file(READ ${FOLDER}/naive.xml junit)
expect("${junit}" "failures=\"1\" errors=\"0\"")
expect("${junit}" "load_binary_from_file")
# Why, and where to look.
foreach(said IN ITEMS "of the weights are in memory twice at the peak" "What helps: read into place"
    "page:  ${FOLDER}/naive.report.html" "graph: ${FOLDER}/naive.graph.svg")
  expect("${output}" "${said}")
endforeach()
expect("${junit}" "of the weights are in memory twice at the peak")
foreach(left IN ITEMS naive.report.html naive.graph.svg)
  if(NOT EXISTS ${FOLDER}/${left})
    message(SEND_ERROR "no ${left} was left beside the trace")
  endif()
endforeach()

# They are the regression's, and not there once it passes.
run_gate(naive CHECK --max-ratio 3 COMMAND ${LOADERS} run tvm blob ${MODEL_FILE})
foreach(left IN ITEMS naive.report.html naive.graph.svg)
  if(NOT status EQUAL 0 OR EXISTS ${FOLDER}/${left})
    message(SEND_ERROR "${left} of an earlier run stays beside a load that passes")
  endif()
endforeach()

# The same against the streamed loader's baseline, which says what came back, and how much of it.
run_gate(streamed CHECK --max-ratio 1.05 COMMAND ${LOADERS} run tvm stream ${MODEL_FILE})
if(NOT status EQUAL 0)
  message(SEND_ERROR "the streamed loader fails:\n${output}")
endif()
execute_process(COMMAND ${TIDEMARK} baseline ${FOLDER}/streamed.tmk -o ${FOLDER}/B.json
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
run_gate(streamed_again CHECK --baseline ${FOLDER}/B.json
  COMMAND ${LOADERS} run tvm stream ${MODEL_FILE})
if(NOT status EQUAL 0)
  message(SEND_ERROR "the streamed loader fails its own baseline:\n${output}")
endif()
run_gate(naive_after COMMAND ${LOADERS} run tvm blob ${MODEL_FILE} CHECK --baseline ${FOLDER}/B.json)
expect_failure("regression: the peak is too high")
file(READ ${FOLDER}/naive_after.xml junit)
expect("${junit}" "grew since the baseline")
# The first stack only, up to the next one's plus sign.
string(REGEX MATCH "grew since the baseline:\n *\\+64\\.0 MiB [^+]*" first "${junit}")
expect("${first}" "load_binary_from_file")
