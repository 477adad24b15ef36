# Units that are compiled together.
#
#   tidemark_unity(FOLDERS folder... UNITS number)
#
# In every library and command of these folders, up to so many units of one folder are one to the compiler, which
# then reads their headers and makes their templates once. A source with options of its own is compiled alone.
# Units of one folder do not share a name in their anonymous namespaces.
function(tidemark_unity)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "UNITS" "FOLDERS")
  foreach(folder IN LISTS arg_FOLDERS)
    targets_below(${PROJECT_SOURCE_DIR}/${folder} targets)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_target_property(libraries ${target} LINK_LIBRARIES)
      if(type MATCHES "EXECUTABLE|STATIC_LIBRARY" AND "tidemark_options" IN_LIST libraries)
        join_units(${target} ${arg_UNITS})
      endif()
    endforeach()
  endforeach()
endfunction()

function(join_units target units)
  get_target_property(home ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  # Headers, and what is made or chosen while the build is, stay as they are.
  list(FILTER sources INCLUDE REGEX "^[^/$][^$]*\\.cpp$")
  set(folders "")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND ${folder} ${home}/${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH ${folder} count)
    # As many groups as are needed, as even as can be.
    math(EXPR groups "(${count} + ${units} - 1) / ${units}")
    set(index 0)
    foreach(source IN LISTS ${folder})
      math(EXPR group "${index} * ${groups} / ${count}")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder}_${group})
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
