/// Words as execve takes them.
#pragma once

#include <string>
#include <vector>

namespace tidemark {

/// @return pointers into `words`, which must outlive them, and a null pointer at the end.
inline std::vector<char*> exec_arguments(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace tidemark
