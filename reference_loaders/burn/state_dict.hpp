#pragma once

#include "reference_loaders/burn/dtype.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::loaders::burn {

/// A tensor as a state_dict describes it: a view into a storage, which is an entry of the zip file.
struct StoredTensor {
  std::string name = {};
  Dtype dtype = Dtype::kFloat32;
  std::string storage = {};            ///< Key: the entry is "data/<key>".
  std::uint64_t storage_elements = 0;  ///< As the pickle says.
  std::uint64_t offset = 0;            ///< In elements, into the storage.
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> stride = {};  ///< In elements; as many as `shape` has.
};

/// In the order of the dict.
using StateDict = std::vector<StoredTensor>;

}  // namespace tidemark::loaders::burn
