#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

/// The verbs of `tidemark-loaders`. They print to stdout and throw what went wrong.
namespace tidemark::loaders {

void list_systems();

struct MakeOptions {
  std::string system;
  std::filesystem::path file;
  std::string size;  ///< Of the weights. Empty for the system's own default.
  std::uint64_t seed = 1;
};

void make_model(const MakeOptions& options);

struct RunOptions {
  std::string system;
  std::string variant;
  std::filesystem::path file;
  bool json = false;
};

void run_variant(const RunOptions& options);

}  // namespace tidemark::loaders
