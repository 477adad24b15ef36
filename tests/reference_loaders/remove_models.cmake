# cmake -D FOLDER=suite -P remove_models.cmake: removes all but the traces, which tell why a row did not
# hold.
file(GLOB_RECURSE files "${FOLDER}/*")
list(FILTER files EXCLUDE REGEX "\\.tmk$")
if(files)
  file(REMOVE ${files})
endif()
