#pragma once

#include "reference_loaders/burn/checkpoint.hpp"
#include "reference_loaders/burn/record.hpp"
#include "reference_loaders/burn/resnet.hpp"
#include "reference_loaders/burn/state_dict.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// The verbs that the tests of burn's loaders are told in.
namespace tidemark::loaders::test {

using burn::Checkpoint;
using burn::ModelSpec;
using burn::Module;
using burn::ModuleTensor;
using burn::StateDict;

using Storages = std::map<std::string, std::string>;

/// A `.pt` file with this pickle and these storages, by key.
std::string a_file_with(const std::string& pickle, const Storages& storages);
std::string a_file_with(const StateDict& tensors, const Storages& storages);

/// A model of a convolution, a batch norm and a linear layer, with a few hundred weights.
ModelSpec a_small_model();

/// "a", float32 [2] = {1, -2}, and "b.weight", float32 [2, 3] = {1 .. 6}.
std::string a_tiny_file();

Checkpoint opened(const std::string& bytes);

using LoadCheckpoint = Module (*)(Checkpoint&);

/// All four loaders of `.pt` files, from the naive one to the best.
const std::vector<LoadCheckpoint>& all_loaders();

/// The values of the tensor `name`; fails the test when it is missing.
template <typename T>
std::vector<T> values_of(const Module& module, const std::string& name);

const ModuleTensor& tensor_of(const Module& module, const std::string& name);

/// The bytes of `values` as they lie in a storage.
template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
std::vector<T> values_of(const Module& module, const std::string& name) {
  const auto bytes = tensor_of(module, name).data.bytes();
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(values.data()));
  return values;
}

/// True when `load` refuses `bytes` as bad input, or loads no more than four times their size.
bool is_refused_or_harmless(const std::string& bytes,
                            const std::function<Module(const std::string&)>& load);

/// True when that holds for `bytes` with any one bit flipped, in a process with little memory.
bool survives_flipped_bits(const std::string& bytes,
                           const std::function<Module(const std::string&)>& load);

}  // namespace tidemark::loaders::test
