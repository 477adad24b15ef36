#pragma once

#include "reference_loaders/system.hpp"
#include "reference_loaders/tvm/ndarray.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// What TVM's loaders leave in memory, as the rest of the program sees it.
namespace tidemark::loaders::tvm {

struct NamedTensor {
  std::string name;
  NDArray tensor;  ///< Shares the data.
};

/// Tensors, and whatever lives as long as they do.
class TvmModel : public LoadedModel {
 public:
  explicit TvmModel(std::vector<NamedTensor> tensors) : tensors_(std::move(tensors)) {}

  [[nodiscard]] std::vector<TensorView> tensors() const override;

 private:
  std::vector<NamedTensor> tensors_;
};

/// Each loads `request.file` and wraps what it got. @throws BadInput
std::unique_ptr<LoadedModel> blob_model(const LoadRequest& request);
std::unique_ptr<LoadedModel> stream_model(const LoadRequest& request);
std::unique_ptr<LoadedModel> exec_blob_model(const LoadRequest& request);
std::unique_ptr<LoadedModel> exec_stream_model(const LoadRequest& request);
std::unique_ptr<LoadedModel> relax_model(const LoadRequest& request);
std::unique_ptr<LoadedModel> shards_model(const LoadRequest& request);

}  // namespace tidemark::loaders::tvm
