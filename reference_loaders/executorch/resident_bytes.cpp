#include "reference_loaders/executorch/resident_bytes.hpp"

#include <fstream>
#include <string>

namespace tidemark::loaders::executorch {

ResidentBytes resident_bytes() {
  constexpr std::uint64_t kKibibyte = 1024;
  ResidentBytes found;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const auto value = line.find_first_of("0123456789");
    if (line.starts_with("VmRSS:")) {
      found.now = std::stoull(line.substr(value)) * kKibibyte;
    } else if (line.starts_with("VmHWM:")) {
      found.peak = std::stoull(line.substr(value)) * kKibibyte;
    }
  }
  return found;
}

}  // namespace tidemark::loaders::executorch
