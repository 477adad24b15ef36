# Writes the commit of the sources as a C++ string, where it is another than the file has: of a git checkout, else of
# the file COMMIT, which copies of the sources come with. Empty where neither is there.
#
#   cmake -D SOURCE=folder -D OUTPUT=file -P write_commit.cmake
cmake_minimum_required(VERSION 3.25)

set(commit "")
if(EXISTS ${SOURCE}/COMMIT)
  file(STRINGS ${SOURCE}/COMMIT commit LIMIT_COUNT 1)
elseif(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(text "#include \"analyzer/cli/build_facts.hpp\"\n\nconst char* const tidemark::cli::kCommit = \"${commit}\";\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUTPUT} "${text}")
endif()
