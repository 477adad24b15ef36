#pragma once

#include "reference_loaders/tvm/executable.hpp"
#include "reference_loaders/tvm/ndarray.hpp"
#include "reference_loaders/tvm/relax_executable.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

/// TVM's loaders, each with the copies that it makes and the moments at which it frees them. W is
/// the bytes of all weights.
namespace tidemark::loaders::tvm {

/// Params before pull request 13877: the whole file into a string, then out of the string into the
/// tensors. Peak 2W, at the last tensor; the string goes in one free right after it.
/// @throws BadInput, as all of these
Params load_blob(const std::filesystem::path& file);

/// Params after it: from the file straight into the tensors. Peak W.
Params load_stream(const std::filesystem::path& file);

/// An executable before it: the file in a string, the code string read out of that, its copy in the
/// executable, the tensors. Peak 4W; 2W stay, as the executable keeps its code.
std::unique_ptr<Executable> load_exec_blob(const std::filesystem::path& file);

/// An executable after it: the code string is read from the file. Peak 3W; 2W stay.
std::unique_ptr<Executable> load_exec_stream(const std::filesystem::path& file);

/// A Relax executable in 2026: the file in a string, its copy in an object of bytes, the tensors.
/// Peak 3W; W stays.
std::unique_ptr<RelaxExecutable> load_relax(const std::filesystem::path& file);

struct LoadedCache {
  Params params;
  std::uint64_t bytes_beside_tensors = 0;  ///< As its index says in advance.
  std::uint64_t largest_shard_bytes = 0;
};

/// A tensor cache: one string holds one shard after the other, tensors are copied out of it. Peak
/// W + s, where s is what the string takes: the largest shard, or up to twice that, since it
/// doubles when it grows. `index` is the JSON file, shards lie beside it.
LoadedCache load_shards(const std::filesystem::path& index);

}  // namespace tidemark::loaders::tvm
