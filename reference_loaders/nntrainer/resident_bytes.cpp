#include "reference_loaders/nntrainer/resident_bytes.hpp"

#include <fstream>
#include <string>

namespace tidemark::loaders::nntrainer {

std::uint64_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "RssAnon:") {
      std::uint64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
  }
  return 0;
}

}  // namespace tidemark::loaders::nntrainer
