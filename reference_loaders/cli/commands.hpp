#pragma once

#include "reference_loaders/system.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

/// The verbs of `tidemark-loaders`. They print to stdout and throw what went wrong.
namespace tidemark::loaders {

void list_systems();

struct MakeOptions {
  std::string system;
  std::filesystem::path file;
  std::string model;  ///< Empty for the system's first.
  std::string size;   ///< Size of the weights. Empty for the model's own default.
  std::uint64_t seed = 1;
};

void make_model(const MakeOptions& options);

struct RunOptions {
  std::string system;
  std::string variant;
  std::filesystem::path file;
  Options options;    ///< The system's own.
  bool cold = false;  ///< Drop the file from the page cache first.
  bool json = false;
};

void run_variant(const RunOptions& options);

}  // namespace tidemark::loaders
