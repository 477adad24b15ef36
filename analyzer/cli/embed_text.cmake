# Makes a C++ file that defines a text as what a file holds.
#
#   cmake -D FILE=words.txt -D HEADER=path/of/its.hpp -D NAME=tidemark::kWords -D OUTPUT=words.cpp -P embed_text.cmake
cmake_minimum_required(VERSION 3.25)

file(READ "${FILE}" text)
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

const std::string_view ${NAME} = R\"text(${text})text\";
")
