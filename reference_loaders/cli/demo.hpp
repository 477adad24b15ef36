#pragma once

#include <filesystem>
#include <string>

namespace tidemark::loaders {

struct DemoOptions {
  std::string size = "512MiB";
  std::filesystem::path directory = "tidemark-demo";
  std::filesystem::path tidemark;  ///< Empty: beside this program.
};

/// Makes a TVM model file (or takes the one from last time), records the loader before and after
/// the published fix, and prints the two side by side.
/// @return true when both peaks are what they must be and both loaders loaded the same model.
bool run_demo(const DemoOptions& options);

}  // namespace tidemark::loaders
