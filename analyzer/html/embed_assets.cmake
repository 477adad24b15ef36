# Makes a C++ file of the page's assets.
#
#   cmake -D PAGE=page.html -D STYLES="a.css;b.css" -D SCRIPTS="a.js;b.js" -D OUTPUT=assets.cpp -P embed_assets.cmake
cmake_minimum_required(VERSION 3.25)

# Sets `out` to the contents of files, one after the other.
function(read_all out)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ "${file}" text)
    string(APPEND all "${text}")
  endforeach()
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

# Sets `out` to the base64 of a hex string.
function(base64 hex out)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(LENGTH "${hex}" length)
  set(text "")
  foreach(at RANGE 0 ${length} 6)
    string(SUBSTRING "${hex}" ${at} 6 group)
    string(LENGTH "${group}" taken)
    if(taken EQUAL 0)
      break()
    endif()
    string(SUBSTRING "${group}000000" 0 6 group)
    math(EXPR number "0x${group}")
    math(EXPR kept "(${taken} * 4 + 5) / 6")
    foreach(digit RANGE 0 3)
      if(digit LESS kept)
        math(EXPR value "(${number} >> (18 - 6 * ${digit})) & 63")
        string(SUBSTRING "${digits}" ${value} 1 letter)
        string(APPEND text "${letter}")
      else()
        string(APPEND text "=")
      endif()
    endforeach()
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# A page carries what a browser needs: no comments that are lines of their own, no indentation.
function(shorten text out)
  string(REGEX REPLACE "\n[ ]*//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n[ ]*/[*][*]? [^\n]*[*]/" "" text "${text}")
  string(REGEX REPLACE "\n[ ]*/[*][*]?(\n[ ]*[*][^\n]*)*\n[ ]*[*]/" "" text "${text}")
  string(REGEX REPLACE "\n[ \n]+" "\n" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

read_all(page "${PAGE}")
read_all(style ${STYLES})
read_all(script ${SCRIPTS})
shorten("${style}" style)
shorten("${script}" script)
string(SHA256 hash "${script}")
base64("${hash}" hash)
file(WRITE "${OUTPUT}" "#include \"analyzer/html/assets.hpp\"

namespace tidemark::html {

const std::string_view kPage = R\"asset(${page})asset\";
const std::string_view kStyle = R\"asset(${style})asset\";
const std::string_view kScript = R\"asset(${script})asset\";
const std::string_view kScriptHash = \"sha256-${hash}\";

}  // namespace tidemark::html
")
